//! Interrupted runs: each is closed once, with a leaf.

use palyra_journal::{Durability, EventKind, JournalError, JournalTransaction, NewEvent};
use rusqlite::{OptionalExtension, params};
use serde_json::json;

use crate::db::signed;
use crate::error::StateError;
use crate::state::State;

/// Number of runs that are closed in one transaction.
const BATCH: usize = 500;

/// Closes every run of an ended owner; returns their number.
pub(crate) fn close_interrupted(state: &State) -> Result<usize, StateError> {
    let mut closed = 0;
    loop {
        let left = state.journal.read(|connection| {
            let read = || -> rusqlite::Result<Vec<String>> {
                let sql = "SELECT run_id FROM runs WHERE status <> 'completed' AND status = 'started'
                           ORDER BY run_id LIMIT ?1";
                let mut statement = connection.prepare(sql)?;
                let rows = statement.query_map([signed(BATCH as u64)], |row| row.get(0))?;
                rows.collect()
            };
            read().map_err(JournalError::sqlite("look for interrupted runs"))
        })?;
        if left.is_empty() {
            return Ok(closed);
        }
        closed += left.len();
        let at_ms = state.now_ms();
        let written = state.journal.transaction(Durability::Normal, move |transaction| {
            left.iter().try_for_each(|run_id| close(transaction, run_id, "owner_ended", at_ms))
        });
        written.wait().map_err(|error: JournalError| StateError::from(error))?;
    }
}

/// Queues the closing of a run whose caller was dropped. Never blocks; the writer checks whether the run is still open.
pub fn close_abandoned(state: &State, run_id: &str) {
    let (run_id, at_ms) = (run_id.to_owned(), state.now_ms());
    drop(state.journal.transaction(Durability::Normal, move |transaction: &mut JournalTransaction<'_>| {
        close(transaction, &run_id, "caller_left", at_ms)
    }));
}

fn close(
    transaction: &mut JournalTransaction<'_>,
    run_id: &str,
    why: &str,
    at_ms: u64,
) -> Result<(), JournalError> {
    let failed = JournalError::sqlite("close an interrupted run");
    let sql =
        "SELECT skill_id, tool_id, payload, principal FROM runs WHERE run_id = ?1 AND status = 'started'";
    type Row = (String, String, String, Option<String>);
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
    let row: Option<Row> = transaction.sql().query_row(sql, [run_id], read).optional().map_err(failed)?;
    let Some((skill_id, tool_id, payload, principal)) = row else { return Ok(()) };
    let details = json!({ "payload": payload, "error": "interrupted", "why": why });
    let event = NewEvent::new(EventKind::RunFailed, at_ms).actor(principal.unwrap_or_else(|| "owner".into()));
    let event = event.run(run_id).skill(skill_id).subject(tool_id).details(details);
    let leaf = transaction.append(event)?;
    let sql =
        "UPDATE runs SET status = 'interrupted', error = 'interrupted', finished_at = ?2, receipt_leaf = ?3
               WHERE run_id = ?1";
    let values = params![run_id, signed(at_ms), signed(leaf.sequence)];
    let updated = transaction.sql().execute(sql, values);
    updated.map(|_| ()).map_err(JournalError::sqlite("close an interrupted run"))
}
