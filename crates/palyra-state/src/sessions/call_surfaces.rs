//! Documents that tools returned to calls outside of agent runs: one per call, identified by its run.

use std::sync::Arc;

use palyra_journal::{Durability, JournalError, JournalTransaction, NewEvent};
use rusqlite::{Connection, OptionalExtension, params};

use super::SessionStore;
use super::rows::Sealed;
use crate::db::{RowKey, signed};
use crate::error::StateError;

const TABLE: &str = "call_surfaces";

/// Maximum number of documents per owner; the oldest are removed.
pub const MAX_CALL_SURFACES: usize = 64;
/// Time after which a document is removed, in milliseconds.
pub const CALL_SURFACE_LIFETIME_MS: u64 = 24 * 60 * 60 * 1_000;

/// A document to store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSurfaceRow {
    /// Id of the tool's run.
    pub run_id: String,
    /// Calling principal, as [`crate::PrincipalId::key`] formats it.
    pub owner: String,
    /// Serialized document, opaque to this crate.
    pub bytes: Vec<u8>,
}

impl SessionStore<'_> {
    /// Returns the document of a call, or `None` if it is unknown or was removed.
    pub fn call_surface(&self, run_id: &str) -> Result<Option<Vec<u8>>, StateError> {
        let sql = "SELECT run_id, bytes, mac FROM call_surfaces WHERE run_id = ?1";
        self.one(TABLE, sql, params![run_id])
    }

    /// Returns at most `limit` documents older than `before`, newest first; only those of `owner` if it is given.
    pub fn call_surfaces(
        &self,
        owner: Option<&str>,
        before: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Vec<u8>>, StateError> {
        let sql = "SELECT run_id, bytes, mac FROM call_surfaces
                   WHERE (?1 IS NULL OR owner = ?1) AND (?2 IS NULL OR run_id < ?2)
                   ORDER BY run_id DESC LIMIT ?3";
        self.all(TABLE, sql, params![owner, before, signed(limit as u64)])
    }

    /// Stores the document of a call. Removes expired documents, and the owner's oldest beyond the maximum.
    pub async fn add_call_surface(&self, row: CallSurfaceRow) -> Result<(), StateError> {
        let key = Arc::clone(&self.state.row_key);
        let first = self.state.now_ms().saturating_sub(CALL_SURFACE_LIFETIME_MS);
        let oldest = crate::text::first_id_at("run", first);
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let sql = transaction.sql();
            let write = || -> rusqlite::Result<()> {
                row.write(sql, &key)?;
                sql.execute("DELETE FROM call_surfaces WHERE run_id < ?1", [&oldest])?;
                let text = "DELETE FROM call_surfaces WHERE owner = ?1 AND run_id NOT IN
                            (SELECT run_id FROM call_surfaces WHERE owner = ?1 ORDER BY run_id DESC LIMIT ?2)";
                sql.execute(text, params![row.owner, signed(MAX_CALL_SURFACES as u64)]).map(drop)
            };
            write().map_err(JournalError::sqlite("write a document of a call"))?;
            Ok::<(), StateError>(())
        };
        self.state.journal.transaction(Durability::Normal, work).await
    }

    /// Replaces the document of a call and appends a leaf; returns false, without a change, if it is no
    /// longer equal to `before`.
    pub async fn replace_call_surface(
        &self,
        run_id: &str,
        before: Vec<u8>,
        after: Vec<u8>,
        leaf: Option<NewEvent>,
    ) -> Result<bool, StateError> {
        let (key, run_id) = (Arc::clone(&self.state.row_key), run_id.to_owned());
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let sql = "SELECT run_id, bytes, mac FROM call_surfaces WHERE run_id = ?1";
            let read = transaction.sql().query_row(sql, [&run_id], |row| Sealed::read(TABLE, row)).optional();
            let found = read.map_err(JournalError::sqlite("read a document of a call"))?;
            let found = found.map(|row| row.open(&key)).transpose()?;
            if found.as_ref() != Some(&before) {
                return Ok(false);
            }
            let mac = key.seal_in(TABLE, &run_id, &after);
            let text = "UPDATE call_surfaces SET bytes = ?2, mac = ?3 WHERE run_id = ?1";
            let written = transaction.sql().execute(text, params![run_id, after, mac.as_slice()]);
            written.map_err(JournalError::sqlite("write a document of a call"))?;
            if let Some(leaf) = leaf {
                transaction.append(leaf)?;
            }
            Ok::<bool, StateError>(true)
        };
        self.state.journal.transaction(Durability::Full, work).await
    }
}

impl CallSurfaceRow {
    fn write(&self, sql: &Connection, key: &RowKey) -> rusqlite::Result<()> {
        let Self { run_id, owner, bytes } = self;
        let mac = key.seal_in(TABLE, run_id, bytes);
        let text = "INSERT OR REPLACE INTO call_surfaces (run_id, owner, bytes, mac) VALUES (?1, ?2, ?3, ?4)";
        sql.execute(text, params![run_id, owner, bytes, mac.as_slice()]).map(drop)
    }
}
