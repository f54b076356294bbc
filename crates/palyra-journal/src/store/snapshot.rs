//! The database as it is at one signed moment, while others go on writing.

use super::connection;
use super::transaction::Durability;
use super::writer::Writer;
use crate::{Checkpoint, JournalError, NewEvent};
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use std::path::Path;

/// The database as it was when its checkpoint was signed: nothing after that is in it.
pub struct Snapshot {
    checkpoint: Checkpoint,
    /// Reads in one transaction, begun before the writer did anything else.
    connection: Connection,
}

impl Snapshot {
    /// On the writer: appends what the snapshot is taken for, signs the head, and begins to read.
    pub(super) fn take(writer: &mut Writer, path: &Path, event: NewEvent) -> Result<Self, JournalError> {
        let checkpoint = writer.transaction(Durability::Full, |transaction| {
            transaction.append(event)?;
            transaction.checkpoint()
        })?;
        let connection = connection::open_reader(path)?;
        // A transaction sees nothing before its first query, and then the same to its end.
        let begin = || -> rusqlite::Result<u64> {
            connection.execute_batch("BEGIN")?;
            connection.query_row("SELECT size FROM journal_head", [], |row| row.get(0))
        };
        match begin().map_err(JournalError::sqlite("begin to copy"))? {
            size if size == checkpoint.head().size => Ok(Self { checkpoint, connection }),
            // Only the writer writes, and it is busy with this.
            _ => Err(JournalError::TransactionBroken),
        }
    }

    /// The signed head it ends with.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Writes it, page by page, into an empty file; blocks the calling thread, and no other.
    pub fn copy_to(&self, path: &Path) -> Result<(), JournalError> {
        copy_database(&self.connection, path).map_err(JournalError::sqlite("copy the journal"))
    }
}

/// Writes a whole database, as its connection sees it, into an empty file.
pub fn copy_database(from: &Connection, path: &Path) -> rusqlite::Result<()> {
    let mut to = Connection::open(path)?;
    let backup = Backup::new(from, &mut to)?;
    // All in one step: readers of a write-ahead log do not block others.
    match backup.step(-1)? {
        StepResult::Done => Ok(()),
        _ => Err(rusqlite::Error::QueryReturnedNoRows),
    }
}
