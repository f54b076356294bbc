//! Read-only connections, which are reused.

use super::connection;
use crate::JournalError;
use parking_lot::Mutex;
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// Maximum number of idle connections.
const MAX_IDLE: usize = 4;

#[derive(Debug)]
pub(super) struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
}

impl Readers {
    pub(super) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::new(Vec::new()) }
    }

    /// Returns the path of the database.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Closes idle connections, so that the writer can be the last to close.
    pub(super) fn close(&self) {
        self.idle.lock().clear();
    }

    /// Runs work in one snapshot of the database.
    pub(super) fn read<T, E: From<JournalError>>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let idle = self.idle.lock().pop();
        let connection = match idle {
            Some(connection) => connection,
            None => connection::open_reader(&self.path)?,
        };
        let result = in_snapshot(&connection, work);
        // A connection with an unfinished snapshot is not reused.
        if connection.is_autocommit() {
            let mut idle = self.idle.lock();
            if idle.len() < MAX_IDLE {
                idle.push(connection);
            }
        }
        result
    }
}

/// Runs work in a read transaction, so that every query sees the same commit.
pub(super) fn in_snapshot<T, E: From<JournalError>>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> Result<T, E>,
) -> Result<T, E> {
    let snapshot = connection.unchecked_transaction().map_err(JournalError::sqlite("begin to read"))?;
    work(&snapshot)
}
