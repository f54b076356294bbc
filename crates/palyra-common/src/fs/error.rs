//! Errors of file operations.

use std::io;
use std::path::{Path, PathBuf};

/// The reason why a file or directory cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum FsError {
    /// The path is a link, FIFO, device, socket or directory instead of a regular file.
    #[error("`{}` is {found}, not a regular file", path.display())]
    NotRegular { path: PathBuf, found: &'static str },
    /// The path is not a directory. A symbolic link to a directory is not one either.
    #[error("`{}` is not a directory", path.display())]
    NotADirectory { path: PathBuf },
    /// The file belongs to another user.
    #[error("`{}` belongs to user {found}, not to user {expected}", path.display())]
    OtherOwner {
        path: PathBuf,
        found: u32,
        /// The effective user of this process.
        expected: u32,
    },
    /// Other users have access.
    #[error("`{}` is accessible to other users: mode {mode:04o}, expected {expected:04o}", path.display())]
    TooOpen {
        path: PathBuf,
        mode: u32,
        /// The expected permission bits.
        expected: u32,
    },
    /// The file has another hard link, through which it could be changed.
    #[error("`{}` has {links} names (hard links), expected 1", path.display())]
    HardLinked { path: PathBuf, links: u64 },
    /// The file exceeds the limit.
    #[error("`{}` has {size} bytes, the limit is {limit}", path.display())]
    TooLarge {
        path: PathBuf,
        size: u64,
        /// The largest size that is read, in bytes.
        limit: u64,
    },
    /// The file changed while it was read.
    #[error("`{}` changed during the read", path.display())]
    Changed { path: PathBuf },
    /// The file exists, and the caller requires a new one.
    #[error("`{}` already exists", path.display())]
    Exists { path: PathBuf },
    /// The lock file was replaced while this process held the lock.
    #[error("the lock `{}` was replaced while it was held", path.display())]
    LockLost { path: PathBuf },
    /// The name is not a single path component.
    #[error("invalid file name `{name}`")]
    BadName { name: String },
    /// The operating system reported an error.
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
    /// Returns advice for the user, if there is any.
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

    /// Returns whether the error is that the file does not exist.
    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }

    /// Wraps an error of the operating system.
    pub fn io(operation: &'static str, path: &Path, source: impl Into<io::Error>) -> Self {
        Self::Io { operation, path: path.to_owned(), source: source.into() }
    }
}
