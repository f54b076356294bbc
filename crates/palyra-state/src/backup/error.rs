//! Why a copy is not made, or not restored.

use palyra_common::ErrorCode;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::StateError;

/// Why a copy is not made, or not restored.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum BackupError {
    /// A file cannot be used.
    #[error("`{}` cannot be {doing}: {source}", path.display())]
    File {
        /// `read`, `written` or `moved`.
        doing: &'static str,
        path: PathBuf,
        source: io::Error,
    },
    /// The file exists already.
    #[error("`{}` already exists", .0.display())]
    Exists(PathBuf),
    /// The copy itself cannot be written.
    #[error("cannot write the backup: {0}")]
    Write(io::Error),
    /// One is made already.
    #[error("another backup is in progress")]
    UnderWay,
    /// Something in the state root is neither a file nor a folder.
    #[error("`{}` in the state root is neither a file nor a directory", .0.display())]
    OddEntry(PathBuf),
    /// The file is no copy of a state root, or not whole.
    #[error("invalid backup: {0}")]
    NotABackup(String),
    /// Nothing shows that the owner of the state root made it.
    #[error("the backup is not signed")]
    Unsigned,
    /// Another state root than the present one made it.
    #[error("the backup was made by `{found}`, the current state root has the key `{present}`")]
    OtherKey {
        /// The key of the journal in the backup.
        found: String,
        /// The key of the journal that is there.
        present: String,
    },
    /// What is in it is not as it was when the copy was made.
    #[error("the state in the backup is damaged: {0}")]
    Damaged(String),
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl BackupError {
    /// The word of this error on every face.
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

    /// What a person can do, where there is something.
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

    /// The error of a file.
    pub fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| Self::File { doing, path, source }
    }
}
