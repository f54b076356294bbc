//! Problems of signing keys that cannot be created, opened or exported.

use palyra_api::Problem;
use palyra_common::ErrorCode;
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
            Self::WrongEpoch { .. } => Problem::new(ErrorCode::Usage, self.to_string())
                .hint("omit `--epoch`; nothing was signed and no key was retired"),
            Self::OtherKeys { publisher, .. } => Problem::new(ErrorCode::Usage, self.to_string()).hint(
                format!("pass its current keys with `--from`; `palyra trust show {publisher}` lists them"),
            ),
            Self::OtherSuccessor { .. } => Problem::new(ErrorCode::Usage, self.to_string())
                .hint("use the same keys and thresholds again; a second successor would block the publisher"),
            Self::Statement(_) => Problem::new(ErrorCode::BadStatement, self.to_string()).hint(
                "only the statement of a release can be signed; create one with `palyra skills \
                    package build`",
            ),
            Self::NotListed { .. } => Problem::new(ErrorCode::BadStatement, self.to_string()).hint(
                "list the key when the package is built: `palyra skills package build --publisher-key KEY`",
            ),
            Self::Rotation(_) => Problem::new(ErrorCode::BadStatement, sentence(self))
                .hint("every new key and enough of the old ones must sign"),
            Self::Revocations(_) => Problem::new(ErrorCode::BadStatement, sentence(self)),
        }
    }
}

impl ToProblem for KeyFileError {
    fn to_problem(&self) -> Problem {
        let code = match self {
            Self::WrongPassphrase => ErrorCode::WrongPassphrase,
            Self::Files(_) => ErrorCode::Usage,
            _ => ErrorCode::BadKeyFile,
        };
        Problem::new(code, format!("cannot use the key file: {}", sentence(self))).hints(self.hint())
    }
}

impl ToProblem for PassphraseError {
    fn to_problem(&self) -> Problem {
        let hint = match self {
            Self::Files(error) => error.hint(),
            _ => None,
        };
        Problem::new(ErrorCode::Usage, sentence(self)).hints(hint)
    }
}
