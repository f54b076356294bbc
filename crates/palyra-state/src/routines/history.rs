//! The history of fires: lists, the last fire, and the cleanup after an interrupted owner.

pub use palyra_common::model::routines::{Fire as FireRow, FireList as FirePage};

use std::sync::Arc;

use palyra_journal::{Durability, JournalError, JournalTransaction};
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::ControlStore;
use super::budget;
use super::fires::FireKey;
use crate::db::{signed, unsigned};
use crate::error::StateError;
use crate::state::State;

/// Maximum number of fires in one page.
const MAX_PAGE: usize = 500;
/// Number of fires that are kept per routine.
const KEPT: i64 = 10_000;
/// Maximum time in milliseconds by which the id of a run may be older than its fire.
const CLOCK_SLACK_MS: u64 = 3_600_000;

/// Selects fires; the default is the newest page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FireQuery {
    /// Only fires that were due before this time, in Unix milliseconds.
    pub before_ms: Option<u64>,
    /// Maximum number of results; 0 means 100.
    pub limit: usize,
}

impl ControlStore<'_> {
    /// Returns the fires of a routine, newest first.
    pub fn fires(&self, routine: &str, query: &FireQuery) -> Result<FirePage, StateError> {
        let limit = if query.limit == 0 { 100 } else { query.limit.min(MAX_PAGE) };
        let before = query.before_ms.map_or(i64::MAX, signed);
        let read = |connection: &Connection| {
            let sql = format!("{SELECT} WHERE routine = ?1 AND due_at < ?2 ORDER BY due_at DESC LIMIT ?3");
            let count = i64::try_from(limit + 1).unwrap_or(i64::MAX);
            let mut statement = connection.prepare_cached(&sql)?;
            let rows = statement.query_map(params![routine, before, count], fire)?;
            rows.collect::<rusqlite::Result<Vec<FireRow>>>()
        };
        let mut fires = self.state.read("read fires", read)?;
        let next = (fires.len() > limit).then(|| {
            fires.truncate(limit);
            fires.last().map(|last| last.due_ms)
        });
        Ok(FirePage { fires, next: next.flatten() })
    }

    /// Returns one fire, or `None` if the due time was never claimed or skipped.
    pub fn fire(&self, key: &FireKey) -> Result<Option<FireRow>, StateError> {
        let read = |connection: &Connection| {
            let sql = format!("{SELECT} WHERE routine = ?1 AND due_at = ?2");
            connection.query_row(&sql, params![key.routine, signed(key.due_ms)], fire).optional()
        };
        self.state.read("read a fire", read)
    }

    /// Returns the newest claimed or skipped due time of a routine's schedule that is not in the future.
    pub fn last_due(&self, routine: &str, now_ms: u64) -> Result<Option<u64>, StateError> {
        let read = |connection: &Connection| {
            let sql = "SELECT due_at FROM routine_fires
                       WHERE routine = ?1 AND due_at <= ?2 AND cause = 'schedule' ORDER BY due_at DESC LIMIT 1";
            connection.query_row(sql, params![routine, signed(now_ms)], |row| row.get(0)).optional()
        };
        let due: Option<i64> = self.state.read("read a fire", read)?;
        Ok(due.map(unsigned))
    }

    /// Removes the oldest finished fires of each routine beyond the newest 10 000; returns their number.
    pub fn trim_fires(&self) -> Result<usize, StateError> {
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let sql = "DELETE FROM routine_fires AS old WHERE status != 'running' AND due_at <
                (SELECT due_at FROM routine_fires AS kept WHERE kept.routine = old.routine
                 ORDER BY due_at DESC LIMIT 1 OFFSET ?1)";
            transaction.sql().execute(sql, [KEPT - 1]).map_err(JournalError::sqlite("trim fires"))
        };
        self.state
            .journal
            .transaction(Durability::Normal, work)
            .wait()
            .map_err(|error: JournalError| error.into())
    }
}

/// Marks every fire of an ended owner as interrupted and links its run; none of them fires again.
pub(crate) fn close_interrupted_fires(state: &State) -> Result<usize, StateError> {
    let (key, now) = (Arc::clone(&state.row_key), state.now_ms());
    let work = move |transaction: &mut JournalTransaction<'_>| {
        let closed =
            close(transaction.sql(), now).map_err(JournalError::sqlite("close interrupted fires"))?;
        for (fire, objective) in &closed {
            // An edited row stops its objective at the next claim, not the opening of the state.
            let Some(objective) = objective else { continue };
            if let Ok(mut used) = budget::read_use(transaction.sql(), &key, objective) {
                used.settle(fire, 0);
                budget::write_use(transaction.sql(), &key, objective, &used)?;
            }
        }
        Ok::<usize, StateError>(closed.len())
    };
    let none = |connection: &Connection| {
        let sql = "SELECT 1 FROM routine_fires WHERE status = 'running' LIMIT 1";
        connection.query_row(sql, [], |_| Ok(())).optional()
    };
    let open = state.read("read fires", none)?;
    if open.is_none() {
        return Ok(0);
    }
    state.journal.transaction(Durability::Normal, work).wait()
}

/// Closes the fires and returns them, each with the objective it is charged to.
fn close(connection: &Connection, now: u64) -> rusqlite::Result<Vec<(FireKey, Option<String>)>> {
    let left: Vec<FireRow> = {
        let mut statement = connection.prepare(&format!("{SELECT} WHERE status = 'running'"))?;
        let rows = statement.query_map([], fire)?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let mut closed = Vec::with_capacity(left.len());
    for row in left {
        let key = FireKey { routine: row.routine.clone(), due_ms: row.due_ms };
        let run_id = match &row.tool_id {
            Some(tool_id) => find_run(connection, tool_id, &key, row.fired_ms)?,
            None => None,
        };
        let sql = "UPDATE routine_fires SET status = 'interrupted', error = 'interrupted', finished_at = ?3,
                   run_id = ?4 WHERE routine = ?1 AND due_at = ?2";
        connection.execute(sql, params![row.routine, signed(row.due_ms), signed(now), run_id])?;
        closed.push((key, row.objective));
    }
    Ok(closed)
}

/// Finds the run of a fire. The index by tool and the time-sorted ids limit the scan to runs since the fire.
fn find_run(
    connection: &Connection,
    tool_id: &str,
    key: &FireKey,
    fired_ms: u64,
) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT run_id FROM runs WHERE tool_id = ?1 AND run_id >= ?2 AND session = ?3
               ORDER BY run_id DESC LIMIT 1";
    let since = crate::text::first_id_at("run", fired_ms.saturating_sub(CLOCK_SLACK_MS));
    connection.query_row(sql, params![tool_id, since, key.session()], |row| row.get(0)).optional()
}

const SELECT: &str =
    "SELECT routine, due_at, cause, status, reason, fired_at, late_ms, finished_at, tool_id, run_id,
                      error, message, fuel, objective FROM routine_fires";

fn fire(row: &Row<'_>) -> rusqlite::Result<FireRow> {
    Ok(FireRow {
        routine: row.get(0)?,
        due_ms: unsigned(row.get(1)?),
        cause: row.get(2)?,
        status: row.get(3)?,
        reason: row.get(4)?,
        fired_ms: unsigned(row.get(5)?),
        late_ms: unsigned(row.get(6)?),
        finished_ms: row.get::<_, Option<i64>>(7)?.map(unsigned),
        tool_id: row.get(8)?,
        run_id: row.get(9)?,
        error: row.get(10)?,
        message: row.get(11)?,
        fuel: row.get::<_, Option<i64>>(12)?.map(unsigned),
        objective: row.get(13)?,
    })
}
