//! Writes one change of a session in a single transaction.

use std::sync::Arc;

use palyra_journal::{Durability, JournalError, JournalTransaction, NewEvent};

use super::SessionStore;
use super::rows::{PauseRow, SessionRow, SessionRunRow, SurfaceRow, write_event};
use crate::error::StateError;

/// The changes of one step of a session.
#[derive(Debug, Clone, Default)]
pub struct SessionUpdate {
    /// The session, if it changed.
    pub session: Option<SessionRow>,
    /// Its agent run, if it changed.
    pub run: Option<SessionRunRow>,
    /// New events, as session id, number and content; a number is used once per session.
    pub events: Vec<(String, u64, Vec<u8>)>,
    /// New and answered pauses.
    pub pauses: Vec<PauseRow>,
    /// New and changed surfaces.
    pub surfaces: Vec<SurfaceRow>,
    /// Leaves to append to the journal.
    pub leaves: Vec<NewEvent>,
}

impl SessionStore<'_> {
    /// Writes a change; it is on disk when this returns.
    pub async fn apply(&self, update: SessionUpdate) -> Result<(), StateError> {
        let key = Arc::clone(&self.state.row_key);
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let SessionUpdate { session, run, events, pauses, surfaces, leaves } = update;
            let sql = transaction.sql();
            let write = || -> rusqlite::Result<()> {
                session.iter().try_for_each(|row| row.write(sql, &key))?;
                run.iter().try_for_each(|row| row.write(sql, &key))?;
                pauses.iter().try_for_each(|row| row.write(sql, &key))?;
                surfaces.iter().try_for_each(|row| row.write(sql, &key))?;
                events
                    .iter()
                    .try_for_each(|(session, number, bytes)| write_event(sql, &key, session, *number, bytes))
            };
            write().map_err(JournalError::sqlite("write a session"))?;
            for leaf in leaves {
                transaction.append(leaf)?;
            }
            Ok::<(), StateError>(())
        };
        self.state.journal.transaction(Durability::Full, work).await
    }

    /// Removes a session with its runs, events, pauses and surfaces.
    pub async fn remove(&self, session_id: &str, leaf: NewEvent) -> Result<(), StateError> {
        let session_id = session_id.to_owned();
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let tables =
                ["agent_sessions", "agent_runs", "session_events", "session_pauses", "session_surfaces"];
            for table in tables {
                let text = format!("DELETE FROM {table} WHERE session_id = ?1");
                let deleted = transaction.sql().execute(&text, [&session_id]);
                deleted.map_err(JournalError::sqlite("remove a session"))?;
            }
            transaction.append(leaf)?;
            Ok::<(), StateError>(())
        };
        self.state.journal.transaction(Durability::Full, work).await
    }
}
