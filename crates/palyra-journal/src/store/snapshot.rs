//! Snapshots: the database at one signed head, while the writer continues.

use super::connection;
use super::transaction::Durability;
use super::writer::Writer;
use crate::{Checkpoint, JournalError, NewEvent};
use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};
use std::path::Path;

/// The database at the time its checkpoint was signed, without any later change.
pub struct Snapshot {
    checkpoint: Checkpoint,
    /// Reads in one transaction, which began before the writer did anything else.
    connection: Connection,
}

impl Snapshot {
    /// Appends the event that the snapshot is taken for, signs the head, and begins to read. Runs on the writer.
    pub(super) fn take(writer: &mut Writer, path: &Path, event: NewEvent) -> Result<Self, JournalError> {
        let checkpoint = writer.transaction(Durability::Full, |transaction| {
            transaction.append(event)?;
            transaction.checkpoint()
        })?;
        let connection = connection::open_reader(path)?;
        // A deferred transaction begins with its first query, and sees the same state until its end.
        let begin = || -> rusqlite::Result<u64> {
            connection.execute_batch("BEGIN")?;
            connection.query_row("SELECT size FROM journal_head", [], |row| row.get(0))
        };
        match begin().map_err(JournalError::sqlite("begin to copy"))? {
            size if size == checkpoint.head().size => Ok(Self { checkpoint, connection }),
            // Only the writer changes the size, and the writer is running this.
            _ => Err(JournalError::TransactionBroken),
        }
    }

    /// Returns the signed head of the snapshot.
    pub fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    /// Copies the snapshot into an empty file. Blocks the calling thread but not the writer.
    pub fn copy_to(&self, path: &Path) -> Result<(), JournalError> {
        copy_database(&self.connection, path).map_err(JournalError::sqlite("copy the journal"))
    }
}

/// Copies a whole database, as its connection sees it, into an empty file.
pub fn copy_database(from: &Connection, path: &Path) -> rusqlite::Result<()> {
    let mut to = Connection::open(path)?;
    let backup = Backup::new(from, &mut to)?;
    // One step copies everything: readers of a write-ahead log do not block others.
    match backup.step(-1)? {
        StepResult::Done => Ok(()),
        _ => Err(rusqlite::Error::QueryReturnedNoRows),
    }
}
