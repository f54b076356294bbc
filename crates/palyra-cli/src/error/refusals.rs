//! Errors of imported files that are invalid or not trusted.

use palyra_common::ErrorCode;
use palyra_daemon::ToProblem;
use palyra_daemon::problem::sentence;
use palyra_skills::ManifestError;
use palyra_vault::{KeyFileError, PassphraseError};
use serde_json::{Value, json};

const FAILED: u8 = 1;
const USAGE: u8 = 2;

/// Why a file, or a text with the content of one, was rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileRefusal {
    #[error(transparent)]
    Manifest(#[from] Box<ManifestError>),
    #[error("cannot use the key file")]
    KeyFile(#[from] KeyFileError),
    #[error(transparent)]
    Passphrase(#[from] PassphraseError),
}

pub(super) fn message(refusal: &FileRefusal) -> String {
    sentence(refusal)
}

impl FileRefusal {
    pub(super) fn code(&self) -> ErrorCode {
        match self {
            Self::Manifest(_) => ErrorCode::BadManifest,
            Self::KeyFile(error) => error.to_problem().code,
            Self::Passphrase(_) => ErrorCode::Usage,
        }
    }

    pub(super) fn exit_code(&self) -> u8 {
        match self {
            Self::KeyFile(error) => error.to_problem().exit_code(),
            Self::Manifest(_) => FAILED,
            Self::Passphrase(_) => USAGE,
        }
    }

    pub(super) fn hints(&self) -> Vec<String> {
        let hint = match self {
            Self::Manifest(error) => error.hint(),
            Self::KeyFile(error) => error.hint(),
            Self::Passphrase(PassphraseError::Files(error)) => error.hint(),
            Self::Passphrase(_) => None,
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
