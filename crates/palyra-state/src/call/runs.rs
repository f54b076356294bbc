//! The rows of a run: begun before its first effect, finished with its receipt, with bounded events in between.

use std::sync::Arc;

use palyra_common::WasmPluginRunError;
use palyra_journal::{Durability, JournalError, JournalTransaction};
use palyra_plugins_runtime::{ChannelMessage, LogLine};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use super::wasm_plugin_runner::Calling;
use super::{CallError, CapabilityUse as Uses};
use crate::error::StateError;
use crate::state::State;

/// Most events kept of one run.
const MAX_EVENTS: usize = 1_000;
/// Most bytes of one message that are kept.
const MAX_EVENT_BYTES: usize = 16 << 10;

/// One run as the database keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunRow {
    /// Its id.
    pub run_id: String,
    /// The skill.
    pub skill_id: String,
    /// The tool.
    pub tool_id: String,
    /// The release.
    pub payload: String,
    /// `started`, `completed` or `failed`.
    pub status: String,
    /// When it began, in milliseconds of Unix time.
    pub started_ms: u64,
    /// When it ended.
    pub finished_ms: Option<u64>,
    /// Where its receipt stands in the journal.
    pub receipt_leaf: Option<u64>,
}

/// One line of a run: its log, or a message it published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RunEvent {
    /// Its number in the run.
    pub number: u64,
    /// `log` or `channel`.
    pub kind: String,
    /// The text, escaped.
    pub text: String,
}

impl State {
    /// A run by its id.
    pub fn run(&self, run_id: &str) -> Result<Option<RunRow>, StateError> {
        Ok(self
            .journal
            .read(|connection| read_run(connection, run_id).map_err(JournalError::sqlite("read a run")))?)
    }

    /// The lines of a run, oldest first.
    pub fn run_events(&self, run_id: &str) -> Result<Vec<RunEvent>, StateError> {
        let read = |connection: &Connection| {
            read_events(connection, run_id).map_err(JournalError::sqlite("read a run"))
        };
        Ok(self.journal.read(read)?)
    }
}

/// Draws an id that sorts by time, which keeps the journal's index small.
pub(super) fn new_run_id() -> Result<String, WasmPluginRunError> {
    crate::text::time_sorted_id("run").map_err(WasmPluginRunError::Internal)
}

/// Says that a run begins, before it can have any effect.
pub(super) async fn start(state: &Arc<State>, run_id: &str, calling: &Calling) -> Result<(), CallError> {
    let subject = &calling.subject;
    let row =
        (run_id.to_owned(), subject.skill_id.clone(), subject.tool_id.clone(), subject.payload.to_string());
    let started = signed(state.now_ms());
    let written =
        state.journal.transaction(Durability::Normal, move |transaction: &mut JournalTransaction<'_>| {
            let sql = "INSERT INTO runs (run_id, skill_id, tool_id, payload, status, started_at)
                   VALUES (?1, ?2, ?3, ?4, 'started', ?5)";
            let inserted = transaction.sql().execute(sql, params![row.0, row.1, row.2, row.3, started]);
            inserted.map(|_| ()).map_err(JournalError::sqlite("begin a run"))
        });
    written.await.map_err(|error: JournalError| CallError::State(error.into()))
}

/// Writes everything that is known of a finished run, beside its receipt.
pub(super) fn finish(
    transaction: &JournalTransaction<'_>,
    finished: &FinishedRun,
    leaf: u64,
) -> rusqlite::Result<()> {
    let sql = transaction.sql();
    sql.execute(
        "UPDATE runs SET status = ?2, finished_at = ?3, receipt_leaf = ?4, receipt = ?5 WHERE run_id = ?1",
        params![finished.run_id, finished.status, finished.at_ms, signed(leaf), finished.receipt],
    )?;
    let mut insert =
        sql.prepare_cached("INSERT INTO run_events (run_id, number, kind, text) VALUES (?1, ?2, ?3, ?4)")?;
    for (number, (kind, text)) in finished.events.iter().enumerate() {
        insert.execute(params![finished.run_id, signed(number as u64), kind, text])?;
    }
    let mut count = sql.prepare_cached(
        "INSERT INTO capability_use (skill_id, capability, uses, denials, last_run) VALUES (?1, ?2, ?3, ?4, ?5)
         ON CONFLICT (skill_id, capability) DO UPDATE
         SET uses = uses + ?3, denials = denials + ?4, last_run = ?5",
    )?;
    for (capability, uses) in finished.uses.iter().filter(|(_, uses)| uses.used + uses.denied > 0) {
        let (used, denied) = (signed(uses.used), signed(uses.denied));
        count.execute(params![finished.skill_id, capability, used, denied, finished.run_id])?;
    }
    Ok(())
}

/// What is written when a run ends.
pub(super) struct FinishedRun {
    pub(super) run_id: String,
    pub(super) skill_id: String,
    pub(super) status: &'static str,
    pub(super) at_ms: i64,
    pub(super) receipt: String,
    pub(super) events: Vec<(&'static str, String)>,
    pub(super) uses: Uses,
}

/// The lines of a run that are kept: as many as fit, and a word about the rest.
pub(super) fn lines(log: &[LogLine], channels: &[ChannelMessage]) -> Vec<(&'static str, String)> {
    let logged =
        log.iter().map(|line| ("log", format!("{:?} {}: {}", line.level, line.source, line.message)));
    let published = channels.iter().map(|message| {
        let body = String::from_utf8_lossy(&message.body);
        ("channel", format!("{} ({}): {}", message.channel, message.content_type, clip(&body)))
    });
    let mut lines: Vec<(&'static str, String)> = logged.chain(published).collect();
    let more = lines.len().saturating_sub(MAX_EVENTS);
    if more > 0 {
        lines.truncate(MAX_EVENTS - 1);
        lines.push(("log", format!("{} more lines were not kept", more + 1)));
    }
    lines.into_iter().map(|(kind, text)| (kind, clip(&text))).collect()
}

pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn clip(text: &str) -> String {
    let mut end = text.len().min(MAX_EVENT_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    palyra_common::redact::escape_untrusted(text.get(..end).unwrap_or_default())
}

fn read_run(connection: &Connection, run_id: &str) -> rusqlite::Result<Option<RunRow>> {
    let sql = "SELECT run_id, skill_id, tool_id, payload, status, started_at, finished_at, receipt_leaf
               FROM runs WHERE run_id = ?1";
    let number = |value: i64| u64::try_from(value).unwrap_or(0);
    let read = |row: &rusqlite::Row<'_>| {
        Ok(RunRow {
            run_id: row.get(0)?,
            skill_id: row.get(1)?,
            tool_id: row.get(2)?,
            payload: row.get(3)?,
            status: row.get(4)?,
            started_ms: number(row.get(5)?),
            finished_ms: row.get::<_, Option<i64>>(6)?.map(number),
            receipt_leaf: row.get::<_, Option<i64>>(7)?.map(number),
        })
    };
    connection.query_row(sql, [run_id], read).optional()
}

fn read_events(connection: &Connection, run_id: &str) -> rusqlite::Result<Vec<RunEvent>> {
    let sql = "SELECT number, kind, text FROM run_events WHERE run_id = ?1 ORDER BY number";
    let read = |row: &rusqlite::Row<'_>| {
        let number: i64 = row.get(0)?;
        Ok(RunEvent { number: u64::try_from(number).unwrap_or(0), kind: row.get(1)?, text: row.get(2)? })
    };
    connection.prepare(sql)?.query_map([run_id], read)?.collect()
}
