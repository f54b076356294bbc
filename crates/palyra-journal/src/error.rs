//! Why the journal could not do what it was asked.

use crate::{CheckpointError, Damage, EventError, SegmentError};
use palyra_common::fs::FsError;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Why the journal could not do what it was asked; cheap to clone, because a group shares its fate.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum JournalError {
    /// There is no database, and opening never makes one.
    #[error("no journal at `{path}`")]
    Missing {
        /// The searched place.
        path: PathBuf,
    },
    /// There is one already, and creating never replaces one.
    #[error("a database already exists at `{path}`")]
    AlreadyExists { path: PathBuf },
    /// The file is something else.
    #[error("`{path}` is not a journal: its application id is `{found:#010x}`, expected `{expected:#010x}`")]
    NotAJournal {
        path: PathBuf,
        /// The id in the file.
        found: u32,
        expected: u32,
    },
    /// A newer version has changed the tables.
    #[error("the database has the unknown migration `{found}`")]
    NewerSchema { found: String },
    /// A migration was edited after it had been applied.
    #[error("the migration `{name}` in the database differs from the one in this version")]
    MigrationChanged { name: String },
    /// The journal is not what was written.
    #[error("the journal is damaged")]
    Damaged(#[from] Damage),
    /// The event cannot be a leaf.
    #[error("cannot record the event")]
    Event(#[from] EventError),
    /// A note is not a checkpoint.
    #[error("invalid checkpoint")]
    Checkpoint(#[from] CheckpointError),
    /// A segment file cannot be used.
    #[error("invalid journal segment")]
    Segment(#[from] SegmentError),
    /// SQLite refused.
    #[error("the database failed to {operation}")]
    Sqlite {
        operation: &'static str,
        #[source]
        source: Arc<rusqlite::Error>,
    },
    /// The operating system refused.
    #[error("cannot {operation}")]
    Io {
        operation: &'static str,
        #[source]
        source: Arc<io::Error>,
    },
    /// A file could not be read or written.
    #[error("{0}")]
    File(Arc<FsError>),
    /// Work inside a transaction panicked; nothing of it was kept.
    #[error("the work inside a transaction panicked: {message}")]
    Panicked { message: String },
    /// A step inside a transaction failed and the caller went on; nothing of it was kept.
    #[error("a step of the transaction failed; the transaction was rolled back")]
    TransactionBroken,
    /// Too much is waiting to be written.
    #[error("the journal queue has {bytes} bytes, the limit is {limit}")]
    QueueFull { bytes: usize, limit: usize },
    /// The writer has stopped.
    #[error("the journal is closed")]
    Closed,
}

impl JournalError {
    /// What a person can do about it, where there is something.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Missing { .. } => {
                Some("create a state root with `palyra init`, or choose one with `--state-root`")
            }
            Self::AlreadyExists { .. } => Some("open it, or choose another state root"),
            Self::NotAJournal { .. } => Some("choose a state root with `--state-root`"),
            Self::NewerSchema { .. } => Some("use the version of palyra that last opened it, or a newer one"),
            Self::MigrationChanged { .. } => Some("use the version of palyra that created this state root"),
            Self::Damaged(damage) => Some(damage.hint()),
            Self::Event(error) => Some(error.hint()),
            Self::Checkpoint(error) => Some(error.hint()),
            Self::Segment(error) => Some(error.hint()),
            Self::Sqlite { source, .. } => sqlite_hint(source),
            Self::QueueFull { .. } => Some("try again later; the disk is too slow for the load"),
            Self::Io { .. }
            | Self::File(_)
            | Self::Panicked { .. }
            | Self::TransactionBroken
            | Self::Closed => None,
        }
    }

    /// Says what SQLite was asked to do; for `map_err`.
    pub fn sqlite(operation: &'static str) -> impl FnOnce(rusqlite::Error) -> Self {
        move |source| Self::Sqlite { operation, source: Arc::new(source) }
    }

    pub(crate) fn io(operation: &'static str, source: io::Error) -> Self {
        Self::Io { operation, source: Arc::new(source) }
    }
}

impl From<FsError> for JournalError {
    fn from(error: FsError) -> Self {
        Self::File(Arc::new(error))
    }
}

fn sqlite_hint(error: &rusqlite::Error) -> Option<&'static str> {
    use rusqlite::ErrorCode;
    match error.sqlite_error_code()? {
        ErrorCode::DiskFull => Some("free disk space; no acknowledged event is lost"),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => {
            Some("check that you own the state root and can write to it")
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some("another program is using the database"),
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            Some("the file is damaged; restore it from a backup")
        }
        _ => None,
    }
}
