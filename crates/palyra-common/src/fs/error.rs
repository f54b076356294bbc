//! What can be wrong with a file.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file or directory was not used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FsError {
    /// A link, FIFO, device, socket or directory where a plain file belongs.
    #[error("`{}` is {found}, not a regular file", path.display())]
    NotRegular {
        /// The path.
        path: PathBuf,
        /// What is there.
        found: &'static str,
    },
    /// Something else where a directory belongs; a link to a directory is something else.
    #[error("`{}` is not a directory", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// It belongs to another user.
    #[error("`{}` belongs to user {found}, not to user {expected}", path.display())]
    OtherOwner {
        /// The path.
        path: PathBuf,
        /// The owner.
        found: u32,
        /// The user of this process.
        expected: u32,
    },
    /// Others may read, write or enter it.
    #[error("`{}` is open to others: mode {mode:04o}, expected {expected:04o}", path.display())]
    TooOpen {
        /// The path.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
        /// The permission bits it should have.
        expected: u32,
    },
    /// It has a second name, so somebody could change it under that one.
    #[error("`{}` has {links} names (hard links), expected 1", path.display())]
    HardLinked {
        /// The path.
        path: PathBuf,
        /// How many names.
        links: u64,
    },
    /// It is larger than the reader takes.
    #[error("`{}` has {size} bytes, more than {limit}", path.display())]
    TooLarge {
        /// The path.
        path: PathBuf,
        /// Its size.
        size: u64,
        /// The largest size that is read.
        limit: u64,
    },
    /// It changed while it was read.
    #[error("`{}` changed while it was read", path.display())]
    Changed {
        /// The path.
        path: PathBuf,
    },
    /// It is already there, and the caller asked for a new one.
    #[error("`{}` exists already", path.display())]
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// Another file has the name of a lock that this process holds.
    #[error("the lock `{}` was replaced while it was held", path.display())]
    LockLost {
        /// The lock file.
        path: PathBuf,
    },
    /// The name is not that of one entry of a directory.
    #[error("`{name}` is not a file name")]
    BadName {
        /// The name, escaped.
        name: String,
    },
    /// The operating system said no.
    #[error("cannot {operation} `{}`", path.display())]
    Io {
        /// What was tried, as a verb.
        operation: &'static str,
        /// The path.
        path: PathBuf,
        /// What the system said.
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
                Some(format!("find out who put it there, then move `{}` away", path.display()))
            }
            Self::OtherOwner { .. } => {
                Some("run as the user who owns it, or let that user give it to you with chown".to_owned())
            }
            Self::HardLinked { path, .. } => Some(format!(
                "find the other name with `find -samefile {}` and remove the one that does not belong",
                path.display()
            )),
            Self::Changed { .. } => Some("try again; two programs must not use it at once".to_owned()),
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
