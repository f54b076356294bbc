//! Errors of making or restoring a backup.

use palyra_common::ErrorCode;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::StateError;

/// Error of making or restoring a backup.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum BackupError {
    /// A file cannot be read, written or moved.
    #[error("`{}` cannot be {doing}: {source}", path.display())]
    File {
        /// `read`, `written` or `moved`.
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// The target file already exists.
    #[error("`{}` already exists", .0.display())]
    Exists(PathBuf),
    /// The backup file cannot be written.
    #[error("cannot write the backup: {0}")]
    Write(io::Error),
    /// Another backup of this state is in progress.
    #[error("another backup is in progress")]
    UnderWay,
    /// Something in the state root is neither a file nor a folder.
    #[error("`{}` in the state root is neither a file nor a directory", .0.display())]
    OddEntry(PathBuf),
    /// The file is not a backup, or is incomplete or altered.
    #[error("invalid backup: {0}")]
    NotABackup(String),
    /// The backup has no signature, so its origin cannot be verified.
    #[error("the backup is not signed")]
    Unsigned,
    /// The backup was made by another state root than the current one.
    #[error("the backup was made by `{found}`, the current state root has the key `{present}`")]
    OtherKey {
        /// Key of the journal in the backup.
        found: String,
        /// Key of the journal in the current state root.
        present: String,
    },
    /// The restored state failed verification.
    #[error("the state in the backup is damaged: {0}")]
    Damaged(String),
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl BackupError {
    /// Returns the error code that every transport reports.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::File { .. } | Self::OddEntry(_) | Self::Write(_) => ErrorCode::StateIo,
            Self::UnderWay => ErrorCode::InUse,
            Self::Exists(_) => ErrorCode::Usage,
            Self::NotABackup(_) | Self::Damaged(_) | Self::Unsigned | Self::OtherKey { .. } => {
                ErrorCode::BadBackup
            }
            Self::State(error) => error.code(),
        }
    }

    /// Returns the next step for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Exists(_) => Some("choose another name".into()),
            Self::OddEntry(path) => Some(format!("move `{}` out of the state root", path.display())),
            Self::NotABackup(_) | Self::Damaged(_) => Some("get another copy; nothing was changed".into()),
            Self::Unsigned => {
                Some("check the listing, then add `--accept-unsigned`; nothing was changed".into())
            }
            Self::OtherKey { .. } => Some(
                "add `--accept-other-key` to replace this state root by another one; nothing was changed"
                    .into(),
            ),
            Self::State(error) => error.hint(),
            Self::UnderWay => Some("wait until it has finished".into()),
            Self::File { .. } | Self::Write(_) => None,
        }
    }

    /// Returns a closure that wraps an I/O error with the operation and the path.
    pub fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { doing, path, source }
    }
}
