//! Signing keys that are not made, not opened, or not handed over.

use palyra_api::Problem;
use palyra_state::KeysError;
use palyra_vault::{KeyFileError, PassphraseError};

use super::chain::sentence;
use super::{ToProblem, not_found};

impl ToProblem for KeysError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::State(error) => error.to_problem(),
            Self::Unknown { name, known } => not_found("signing key", name, known.clone()),
            Self::KeyFile(error) => error.to_problem(),
            Self::Key(error) => error.to_problem(),
            Self::KeySet(error) => error.to_problem(),
            Self::UnknownEpoch { .. } => Problem::new("usage", self.to_string())
                .hint("name the epoch your releases have now with `--epoch N`; the first is 1"),
            Self::Rotation(_) => Problem::new("bad_statement", sentence(self))
                .hint("every new key and enough of the old ones must sign"),
            Self::Revocations(_) => Problem::new("bad_statement", sentence(self)),
        }
    }
}

impl ToProblem for KeyFileError {
    fn to_problem(&self) -> Problem {
        let code = match self {
            Self::WrongPassphrase => "wrong_passphrase",
            Self::Files(_) => "usage",
            _ => "bad_key_file",
        };
        Problem::new(code, format!("the key file cannot be used: {}", sentence(self))).hints(self.hint())
    }
}

impl ToProblem for PassphraseError {
    fn to_problem(&self) -> Problem {
        let hint = match self {
            Self::Files(error) => error.hint(),
            _ => None,
        };
        Problem::new("usage", sentence(self)).hints(hint)
    }
}
