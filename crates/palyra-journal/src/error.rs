//! Why the journal could not do what it was asked.

use crate::{CheckpointError, Damage, EventError, SegmentError};
use palyra_common::fs::FsError;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Why the journal could not do what it was asked; cheap to clone, because a group shares its fate.
#[derive(Debug, Clone, thiserror::Error)]
pub enum JournalError {
    /// There is no database, and opening never makes one.
    #[error("there is no journal at `{path}`")]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// There is one already, and creating never replaces one.
    #[error("there is already a database at `{path}`")]
    AlreadyExists {
        /// Where.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("`{path}` is not a journal: its application id is `{found:#010x}`, expected `{expected:#010x}`")]
    NotAJournal {
        /// The file.
        path: PathBuf,
        /// The id in the file.
        found: u32,
        /// The id of ours.
        expected: u32,
    },
    /// A newer version has changed the tables.
    #[error("the database has migration `{found}`, which this version does not know")]
    NewerSchema {
        /// The first unknown migration.
        found: String,
    },
    /// A migration was edited after it had been applied.
    #[error("the migration `{name}` in the database is not the one of this version")]
    MigrationChanged {
        /// Which one.
        name: String,
    },
    /// The journal is not what was written.
    #[error("the journal is damaged")]
    Damaged(#[from] Damage),
    /// The event cannot be a leaf.
    #[error("the event cannot be journalled")]
    Event(#[from] EventError),
    /// A note is not a checkpoint.
    #[error("the checkpoint cannot be used")]
    Checkpoint(#[from] CheckpointError),
    /// A segment file cannot be used.
    #[error("the journal segment cannot be used")]
    Segment(#[from] SegmentError),
    /// SQLite refused.
    #[error("the database refused to {operation}")]
    Sqlite {
        /// What was tried.
        operation: &'static str,
        /// What SQLite says.
        #[source]
        source: Arc<rusqlite::Error>,
    },
    /// The operating system refused.
    #[error("cannot {operation}")]
    Io {
        /// What was tried.
        operation: &'static str,
        /// What the system says.
        #[source]
        source: Arc<io::Error>,
    },
    /// A file could not be read or written.
    #[error("{0}")]
    File(Arc<FsError>),
    /// Work inside a transaction panicked; nothing of it was kept.
    #[error("the work inside a transaction panicked: {message}")]
    Panicked {
        /// What the panic said.
        message: String,
    },
    /// A step inside a transaction failed and the caller went on; nothing of it was kept.
    #[error("a step of the transaction had failed, nothing of it was kept")]
    TransactionBroken,
    /// Too much is waiting to be written.
    #[error("{bytes} bytes wait to be journalled, at most {limit} may")]
    QueueFull {
        /// How much is waiting.
        bytes: usize,
        /// How much may.
        limit: usize,
    },
    /// The writer has stopped.
    #[error("the journal is closed")]
    Closed,
}

impl JournalError {
    /// What a person can do about it, where there is something.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Missing { .. } => {
                Some("make a state root with `palyra init`, or point `--state-root` at one")
            }
            Self::AlreadyExists { .. } => Some("open it, or choose another state root"),
            Self::NotAJournal { .. } => Some("point `--state-root` at a state root of palyra"),
            Self::NewerSchema { .. } => Some("use the version of palyra that last opened it, or a newer one"),
            Self::MigrationChanged { .. } => Some("use the version of palyra that made this state root"),
            Self::Damaged(damage) => Some(damage.hint()),
            Self::Event(error) => Some(error.hint()),
            Self::Checkpoint(error) => Some(error.hint()),
            Self::Segment(error) => Some(error.hint()),
            Self::Sqlite { source, .. } => sqlite_hint(source),
            Self::QueueFull { .. } => Some("try again when the disk has caught up"),
            Self::Io { .. }
            | Self::File(_)
            | Self::Panicked { .. }
            | Self::TransactionBroken
            | Self::Closed => None,
        }
    }

    /// Whether the disk is full.
    pub fn is_disk_full(&self) -> bool {
        match self {
            Self::Sqlite { source, .. } => source.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull),
            Self::Io { source, .. } => source.kind() == io::ErrorKind::StorageFull,
            _ => false,
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
        ErrorCode::DiskFull => Some("free some space on the disk; nothing that was acknowledged is lost"),
        ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen => {
            Some("check that the state root belongs to you and is writable")
        }
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Some("another program has the database open"),
        ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
            Some("the file is damaged; put it back from a backup")
        }
        _ => None,
    }
}
