//! Files from elsewhere that are not what they are said to be, or are not believed.

use palyra_daemon::ToProblem;
use palyra_daemon::problem::sentence;
use palyra_skills::ManifestError;
use palyra_skills::signing::{KeyError, KeySetError};
use palyra_skills::trust::{RotationError, TrustStatementError};
use palyra_state::journal::CheckpointError;
use palyra_vault::{KeyFileError, PassphraseError};
use serde_json::{Value, json};

/// Verification or trust refused.
pub(super) const REFUSED: u8 = 5;
const FAILED: u8 = 1;
const USAGE: u8 = 2;
const AUTHENTICATION: u8 = 4;

/// Why a file, or a text that stands for one, was refused.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileRefusal {
    /// A manifest.
    #[error(transparent)]
    Manifest(#[from] Box<ManifestError>),
    /// A statement about trust.
    #[error("the statement is refused")]
    Statement(#[from] TrustStatementError),
    /// A rotation that cannot be signed.
    #[error("the rotation cannot be made")]
    Rotation(#[from] RotationError),
    /// A checkpoint.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A key file.
    #[error("the key file cannot be used")]
    KeyFile(#[from] KeyFileError),
    /// A passphrase.
    #[error(transparent)]
    Passphrase(#[from] PassphraseError),
    /// A public key.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Keys and a threshold.
    #[error(transparent)]
    KeySet(#[from] KeySetError),
}

pub(super) fn message(refusal: &FileRefusal) -> String {
    sentence(refusal)
}

impl FileRefusal {
    pub(super) fn code(&self) -> String {
        match self {
            Self::Manifest(_) => "bad_manifest",
            Self::Statement(_) | Self::Rotation(_) => "bad_statement",
            Self::Checkpoint(_) => "bad_checkpoint",
            Self::KeyFile(KeyFileError::WrongPassphrase) => "authentication",
            Self::KeyFile(_) => "bad_key_file",
            Self::Passphrase(_) | Self::Key(_) | Self::KeySet(_) => "usage",
        }
        .to_owned()
    }

    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::Statement(_) | Self::Checkpoint(_) => REFUSED,
            Self::KeyFile(KeyFileError::WrongPassphrase) => AUTHENTICATION,
            Self::KeyFile(KeyFileError::Files(_)) => USAGE,
            Self::Manifest(_) | Self::Rotation(_) | Self::KeyFile(_) => FAILED,
            Self::Passphrase(_) | Self::Key(_) | Self::KeySet(_) => USAGE,
        }
    }

    pub(super) fn hints(&self) -> Vec<String> {
        let hint = match self {
            Self::Manifest(error) => error.hint(),
            Self::Statement(error) => return error.to_problem().hints,
            Self::Rotation(_) => Some("every new key and enough of the old ones must sign".into()),
            Self::Checkpoint(error) => return error.to_problem().hints,
            Self::KeyFile(error) => error.hint(),
            Self::Passphrase(PassphraseError::Files(error)) => error.hint(),
            Self::Key(error) => return error.to_problem().hints,
            Self::Passphrase(_) | Self::KeySet(_) => None,
        };
        hint.into_iter().collect()
    }

    pub(super) fn details(&self) -> Value {
        match self {
            Self::Manifest(error) => {
                json!({ "path": error.path(), "line": error.line(), "column": error.column() })
            }
            _ => json!({}),
        }
    }

    pub(super) fn notes(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }
}
