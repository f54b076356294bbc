//! What can be wrong with a file.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file or directory was not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum FsError {
    /// A link, FIFO, device, socket or directory where a plain file belongs.
    #[error("`{}` is {found}, not a regular file", path.display())]
    NotRegular { path: PathBuf, found: &'static str },
    /// Something else where a directory belongs; a link to a directory is something else.
    #[error("`{}` is not a directory", path.display())]
    NotADirectory { path: PathBuf },
    /// It belongs to another user.
    #[error("`{}` belongs to user {found}, not to user {expected}", path.display())]
    OtherOwner {
        path: PathBuf,
        found: u32,
        /// The user of this process.
        expected: u32,
    },
    /// Others may read, write or enter it.
    #[error("`{}` is accessible to other users: mode {mode:04o}, expected {expected:04o}", path.display())]
    TooOpen {
        path: PathBuf,
        mode: u32,
        /// The permission bits it should have.
        expected: u32,
    },
    /// It has a second hard link, through which it could be changed.
    #[error("`{}` has {links} names (hard links), expected 1", path.display())]
    HardLinked { path: PathBuf, links: u64 },
    /// It is larger than the reader takes.
    #[error("`{}` has {size} bytes, the limit is {limit}", path.display())]
    TooLarge {
        path: PathBuf,
        size: u64,
        /// The largest size that is read.
        limit: u64,
    },
    /// It changed while it was read.
    #[error("`{}` changed during the read", path.display())]
    Changed { path: PathBuf },
    /// It is already there, and the caller asked for a new one.
    #[error("`{}` already exists", path.display())]
    Exists { path: PathBuf },
    /// Another file has the name of a lock that this process holds.
    #[error("the lock `{}` was replaced while it was held", path.display())]
    LockLost { path: PathBuf },
    /// The name is not that of one entry of a directory.
    #[error("invalid file name `{name}`")]
    BadName { name: String },
    /// The operating system said no.
    #[error("cannot {operation} `{}`", path.display())]
    Io {
        /// The attempted operation, as a verb.
        operation: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl FsError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::TooOpen { path, expected, .. } => Some(format!("chmod {expected:o} {}", path.display())),
            Self::NotRegular { path, .. } | Self::NotADirectory { path } => {
                Some(format!("find out where it came from, then move `{}` away", path.display()))
            }
            Self::OtherOwner { .. } => {
                Some("run as the user who owns it, or change its owner with chown".to_owned())
            }
            Self::HardLinked { path, .. } => Some(format!(
                "find the other name with `find -samefile {}` and remove the unexpected one",
                path.display()
            )),
            Self::Changed { .. } => Some(
                "try again; two programs must not use it at the same \
                time"
                    .to_owned(),
            ),
            Self::LockLost { .. } => {
                Some("stop every palyra process that uses this directory, then start one".to_owned())
            }
            Self::TooLarge { .. } | Self::Exists { .. } | Self::BadName { .. } | Self::Io { .. } => None,
        }
    }

    /// Whether the system said that there is no such entry.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// Wraps what the system said.
    pub fn io(operation: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        Self::Io { operation, path: path.to_owned(), source: source.into() }
    }
}
