//! Lists of runs, newest first, and the stored lines of a run.

pub use palyra_common::model::runs::RunList as RunPage;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};

use super::{RunEvent, RunRow, RunStore};
use crate::db::{signed, unsigned};
use crate::error::StateError;
use crate::records::{LEAF_COLUMNS, ReceiptLeaf};
use crate::text::first_id_at;

/// Maximum number of runs in one page.
const MAX_PAGE: usize = 1_000;
/// Tolerance between the time in a run id and `started_at`: earlier versions read the clock once for each.
const CLOCK_SLACK_MS: u64 = 60_000;
/// Columns of a run in the order in which [`read_run`] reads them.
pub(crate) const RUN_COLUMNS: &str = "run_id, skill_id, tool_id, payload, status, started_at, finished_at, receipt_leaf, principal, session, error, tape";

/// Joins each run with the leaf that its row names.
const RUNS_WITH_LEAVES: &str = "runs LEFT JOIN journal_event e ON e.seq = receipt_leaf";

/// Selects runs; the default is the newest page of all runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunQuery {
    /// Only runs of this skill.
    pub skill_id: Option<String>,
    /// Only runs of this tool.
    pub tool_id: Option<String>,
    /// Only runs with this status.
    pub status: Option<String>,
    /// Only runs started at this time or later, in Unix milliseconds.
    pub since_ms: Option<u64>,
    /// Only runs started before this time, in Unix milliseconds.
    pub until_ms: Option<u64>,
    /// Only runs older than this id, for the next page.
    pub before: Option<String>,
    /// Maximum number of results; 0 means 100.
    pub limit: usize,
}

impl RunStore<'_> {
    /// Returns one run, or `None` if the id is unknown.
    pub fn get(&self, run_id: &str) -> Result<Option<RunRow>, StateError> {
        let sql = format!("SELECT {RUN_COLUMNS}, {LEAF_COLUMNS} FROM {RUNS_WITH_LEAVES} WHERE run_id = ?1");
        let read = |connection: &Connection| connection.query_row(&sql, [run_id], read_compared).optional();
        self.state.read("read a run", read)
    }

    /// Returns one page of runs, newest first.
    pub fn list(&self, query: &RunQuery) -> Result<RunPage, StateError> {
        let limit = if query.limit == 0 { 100 } else { query.limit.min(MAX_PAGE) };
        let read = |connection: &Connection| select(connection, query, limit + 1);
        let mut runs = self.state.read("read runs", read)?;
        let next = (runs.len() > limit).then(|| {
            runs.truncate(limit);
            runs.last().map(|last| last.run_id.clone())
        });
        Ok(RunPage { runs, next: next.flatten() })
    }

    /// Returns the lines of a run, oldest first, at most 1000.
    pub fn events(&self, run_id: &str) -> Result<Vec<RunEvent>, StateError> {
        self.events_after(run_id, None, MAX_PAGE)
    }

    /// Returns at most `limit` lines of a run after the line with this number, oldest first.
    pub fn events_after(
        &self,
        run_id: &str,
        after: Option<u64>,
        limit: usize,
    ) -> Result<Vec<RunEvent>, StateError> {
        let after = after.map_or(-1, signed);
        let limit = i64::try_from(limit.min(MAX_PAGE)).unwrap_or(i64::MAX);
        let read = |connection: &Connection| {
            let sql = "SELECT number, kind, text FROM run_events WHERE run_id = ?1 AND number > ?2
                       ORDER BY number LIMIT ?3";
            let line = |row: &Row<'_>| {
                Ok(RunEvent { number: unsigned(row.get(0)?), kind: row.get(1)?, text: row.get(2)? })
            };
            let mut statement = connection.prepare_cached(sql)?;
            let lines = statement.query_map(params![run_id, after, limit], line)?;
            lines.collect::<rusqlite::Result<Vec<RunEvent>>>()
        };
        self.state.read("read a run", read)
    }
}

fn select(connection: &Connection, query: &RunQuery, limit: usize) -> rusqlite::Result<Vec<RunRow>> {
    let (sql, values) = statement(query, limit);
    let values = values.iter().map(AsRef::as_ref);
    connection.prepare_cached(&sql)?.query_map(rusqlite::params_from_iter(values), read_compared)?.collect()
}

/// Builds the query. Filters by skill and tool come first; each index is ordered by run id, which is the order of time.
fn statement(query: &RunQuery, limit: usize) -> (String, Vec<Box<dyn ToSql>>) {
    let mut wheres = Vec::new();
    let mut values: Vec<Box<dyn ToSql>> = Vec::new();
    let mut only = |condition: &str, value: Option<Box<dyn ToSql>>| {
        if let Some(value) = value {
            values.push(value);
            wheres.push(format!("{condition} ?{}", values.len()));
        }
    };
    let text = |value: &Option<String>| value.clone().map(|text| Box::new(text) as Box<dyn ToSql>);
    let time = |value: Option<u64>| value.map(|ms| Box::new(signed(ms)) as Box<dyn ToSql>);
    let id_at = |ms: Option<u64>| text(&ms.map(|ms| first_id_at("run", ms)));
    only("skill_id =", text(&query.skill_id));
    only("tool_id =", text(&query.tool_id));
    match query.status.as_deref() {
        Some("completed") | None => only("status =", text(&query.status)),
        // Repeats the condition of the partial index, which SQLite requires to use it.
        Some(_) => only("status <> 'completed' AND status =", text(&query.status)),
    }
    only("started_at >=", time(query.since_ms));
    only("started_at <", time(query.until_ms));
    only("run_id >=", id_at(query.since_ms.map(|ms| ms.saturating_sub(CLOCK_SLACK_MS))));
    only("run_id <", id_at(query.until_ms.map(|ms| ms.saturating_add(CLOCK_SLACK_MS))));
    only("run_id <", text(&query.before));
    let wheres = if wheres.is_empty() { "1".to_owned() } else { wheres.join(" AND ") };
    let columns = format!("{RUN_COLUMNS}, {LEAF_COLUMNS}");
    let sql =
        format!("SELECT {columns} FROM {RUNS_WITH_LEAVES} WHERE {wheres} ORDER BY run_id DESC LIMIT {limit}");
    (sql, values)
}

/// Reads a run and compares it with its receipt. A leaf in a segment file cannot be compared here.
fn read_compared(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    let mut run = read_run(row, 0)?;
    let differs = match ReceiptLeaf::read(row, 12)? {
        Some(leaf) => {
            leaf.differences(&run).into_iter().map(|difference| difference.field.to_owned()).collect()
        }
        // Another leaf, or none although it ended.
        None if row.get_ref(12)? != ValueRef::Null => vec!["receipt_leaf".into()],
        None if run.receipt_leaf.is_none() && run.status != "started" => vec!["receipt_leaf".into()],
        None => Vec::new(),
    };
    run.differs = differs;
    Ok(run)
}

/// Reads [`RUN_COLUMNS`] starting at column `at`.
pub(crate) fn read_run(row: &Row<'_>, at: usize) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        run_id: row.get(at)?,
        skill_id: row.get(at + 1)?,
        tool_id: row.get(at + 2)?,
        payload: row.get(at + 3)?,
        status: row.get(at + 4)?,
        started_ms: unsigned(row.get(at + 5)?),
        finished_ms: row.get::<_, Option<i64>>(at + 6)?.map(unsigned),
        receipt_leaf: row.get::<_, Option<i64>>(at + 7)?.map(unsigned),
        principal: row.get(at + 8)?,
        session: row.get(at + 9)?,
        error: row.get(at + 10)?,
        tape: row.get(at + 11)?,
        differs: Vec::new(),
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// Returns SQLite's plan for a query.
    fn plan(connection: &Connection, query: &RunQuery) -> String {
        let (sql, values) = statement(query, 10);
        let values = rusqlite::params_from_iter(values.iter().map(AsRef::as_ref));
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let lines = plan.query_map(values, |row| row.get::<_, String>(3)).unwrap();
        lines.map(Result::unwrap).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn filters_are_answered_from_an_index_in_its_order() {
        let connection = Connection::open_in_memory().unwrap();
        let leaves = "CREATE TABLE journal_event (seq INTEGER PRIMARY KEY, at_ms, kind, actor, run, skill, subject, details)";
        connection.execute_batch(leaves).unwrap();
        for migration in crate::db::MIGRATIONS {
            connection.execute_batch(migration.sql).unwrap();
        }
        let some = |text: &str| Some(text.to_owned());
        let all = RunQuery::default();
        for (query, wanted) in [
            (RunQuery { skill_id: some("a.b"), ..all.clone() }, "INDEX runs_of_skill"),
            (RunQuery { tool_id: some("a.b.c"), ..all.clone() }, "INDEX runs_of_tool"),
            (RunQuery { status: some("failed"), ..all.clone() }, "INDEX runs_otherwise"),
            (RunQuery { status: some("started"), since_ms: Some(1), ..all.clone() }, "INDEX runs_otherwise"),
            (RunQuery { since_ms: Some(1), ..all.clone() }, "PRIMARY KEY (run_id>?)"),
            (
                RunQuery { since_ms: Some(1), until_ms: Some(2), ..all.clone() },
                "PRIMARY KEY (run_id>? AND run_id<?)",
            ),
            (RunQuery { before: some("run_1"), ..all.clone() }, "PRIMARY KEY (run_id<?)"),
        ] {
            let plan = plan(&connection, &query);
            assert!(plan.contains(wanted) && plan.contains("SEARCH") && !plan.contains("B-TREE"), "{plan}");
        }
    }
}
