//! Errors of the journal.

use crate::{CheckpointError, Damage, EventError, SegmentError};
use palyra_common::fs::FsError;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// An error of the journal. Cheap to clone, because every event of a failed group gets it.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum JournalError {
    /// The database does not exist; opening never creates one.
    #[error("no journal at `{path}`")]
    Missing {
        /// The path that was searched.
        path: PathBuf,
    },
    /// The database exists; creating never replaces one.
    #[error("a database already exists at `{path}`")]
    AlreadyExists { path: PathBuf },
    /// The file is not a journal.
    #[error("`{path}` is not a journal: its application id is `{found:#010x}`, expected `{expected:#010x}`")]
    NotAJournal {
        path: PathBuf,
        /// The application id in the file.
        found: u32,
        expected: u32,
    },
    /// A newer version of Palyra changed the tables.
    #[error("the database has the unknown migration `{found}`")]
    NewerSchema { found: String },
    /// A migration was edited after it was applied.
    #[error("the migration `{name}` in the database differs from the one in this version")]
    MigrationChanged { name: String },
    /// The journal failed verification.
    #[error("the journal is damaged")]
    Damaged(#[from] Damage),
    /// The event cannot be encoded.
    #[error("cannot record the event")]
    Event(#[from] EventError),
    /// A note is not a valid checkpoint.
    #[error("invalid checkpoint")]
    Checkpoint(#[from] CheckpointError),
    /// A segment file is invalid.
    #[error("invalid journal segment")]
    Segment(#[from] SegmentError),
    /// SQLite reported an error.
    #[error("the database failed to {operation}")]
    Sqlite {
        operation: &'static str,
        #[source]
        source: Arc<rusqlite::Error>,
    },
    /// The operating system reported an error.
    #[error("cannot {operation}")]
    Io {
        operation: &'static str,
        #[source]
        source: Arc<io::Error>,
    },
    /// A file could not be read or written.
    #[error("{0}")]
    File(Arc<FsError>),
    /// Work inside a transaction panicked. The transaction was rolled back.
    #[error("the work inside a transaction panicked: {message}")]
    Panicked { message: String },
    /// A step of a transaction failed and its error was ignored. The transaction was rolled back.
    #[error("a step of the transaction failed; the transaction was rolled back")]
    TransactionBroken,
    /// The events that wait to be written exceed the limit.
    #[error("the journal queue has {bytes} bytes, the limit is {limit}")]
    QueueFull { bytes: usize, limit: usize },
    /// The writer stopped.
    #[error("the journal is closed")]
    Closed,
}

impl JournalError {
    /// Returns advice for the user, if there is any.
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

    /// Returns a function for `map_err` that adds the attempted operation.
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
