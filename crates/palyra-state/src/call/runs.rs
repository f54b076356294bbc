//! The rows of a run: begun before its first effect, finished with its receipt, with bounded events in between.

mod interrupted;
mod list;
mod retention;

use std::sync::Arc;

use palyra_common::WasmPluginRunError;
use palyra_journal::{Durability, JournalError, JournalTransaction};
use palyra_plugins_runtime::{ChannelMessage, LogLine};
use rusqlite::params;
use serde::Serialize;

use super::tapes::KeptTape;
use super::usage::Touched;
use super::wasm_plugin_runner::Calling;
use super::{CallError, CapabilityUse as Uses};
pub(super) use interrupted::close_abandoned;
pub(crate) use interrupted::close_interrupted;
pub use list::{RunPage, RunQuery};
pub use retention::{RunRetention, Trimmed};

use crate::state::State;
use crate::text::short_name;

/// Most events kept of one run.
const MAX_EVENTS: usize = 1_000;
/// Most bytes of one message that are kept.
const MAX_EVENT_BYTES: usize = 16 << 10;
/// Most names a skill's touches are kept under one by one.
const MAX_TOUCHED: i64 = 10_000;
/// The name of everything past that.
pub(crate) const OTHERS: &str = "(others)";

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
    /// `started`, `completed`, `failed`, `cancelled` or `interrupted`.
    pub status: String,
    /// When it began, in milliseconds of Unix time.
    pub started_ms: u64,
    /// When it ended.
    pub finished_ms: Option<u64>,
    /// Where its receipt stands in the journal.
    pub receipt_leaf: Option<u64>,
    /// On whose behalf.
    pub principal: Option<String>,
    /// The session it belongs to.
    pub session: Option<String>,
    /// The kind of its error, where it has no result.
    pub error: Option<String>,
    /// The digest of its tape, as long as that is kept.
    pub tape: Option<String>,
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

/// Draws an id that sorts by time, which keeps the journal's index small.
pub(super) fn new_run_id() -> Result<String, WasmPluginRunError> {
    crate::text::time_sorted_id("run").map_err(WasmPluginRunError::Internal)
}

/// Says that a run begins. Where it can have an effect, that is committed before this returns; where it can have
/// none, it is only on its way, ahead of everything else that is written of the run.
pub(super) async fn start(
    state: &Arc<State>,
    run_id: &str,
    calling: &Calling,
    may_have_effects: bool,
) -> Result<(), CallError> {
    let subject = &calling.subject;
    let (run_id, subject) = (run_id.to_owned(), subject.clone());
    let (principal, session) = (short_name(&calling.principal), calling.context.session.clone());
    let started = signed(state.now_ms());
    let written =
        state.journal.transaction(Durability::Normal, move |transaction: &mut JournalTransaction<'_>| {
            let sql = "INSERT INTO runs
                (run_id, skill_id, tool_id, payload, status, started_at, principal, session)
                VALUES (?1, ?2, ?3, ?4, 'started', ?5, ?6, ?7)";
            let payload = subject.payload.to_string();
            let values =
                params![run_id, subject.skill_id, subject.tool_id, payload, started, principal, session];
            let inserted =
                transaction.sql().prepare_cached(sql).and_then(|mut insert| insert.execute(values));
            inserted.map(|_| ()).map_err(JournalError::sqlite("begin a run"))
        });
    if !may_have_effects {
        return Ok(());
    }
    written.await.map_err(|error: JournalError| CallError::State(error.into()))
}

/// Writes everything that is known of a finished run, beside its receipt.
pub(super) fn finish(
    transaction: &JournalTransaction<'_>,
    finished: &FinishedRun,
    leaf: u64,
) -> rusqlite::Result<()> {
    let sql = transaction.sql();
    let mut update = sql.prepare_cached(
        "UPDATE runs SET status = ?2, finished_at = ?3, receipt_leaf = ?4, receipt = ?5, error = ?6, tape = ?7
         WHERE run_id = ?1",
    )?;
    let updated = update.execute(params![
        finished.run_id,
        finished.status,
        finished.at_ms,
        signed(leaf),
        finished.receipt,
        finished.error,
        finished.tape.as_ref().map(KeptTape::digest)
    ])?;
    // The row was handed to the writer before: a run whose beginning is not there has no end either.
    if updated != 1 {
        return Err(rusqlite::Error::StatementChangedRows(updated));
    }
    if let Some(tape) = &finished.tape {
        tape.write(sql, signed(leaf))?;
    }
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
    touch(transaction, finished)?;
    for (capability, uses) in finished.uses.iter().filter(|(_, uses)| uses.used + uses.denied > 0) {
        let (used, denied) = (signed(uses.used), signed(uses.denied));
        count.execute(params![finished.skill_id, capability, used, denied, finished.run_id])?;
    }
    Ok(())
}

/// Adds what the run touched to what its skill ever touched; past a bound, new names are counted together.
fn touch(transaction: &JournalTransaction<'_>, finished: &FinishedRun) -> rusqlite::Result<()> {
    if finished.touched.is_empty() {
        return Ok(());
    }
    let sql = transaction.sql();
    let mut known = sql.prepare_cached("SELECT count(*) FROM touched WHERE skill_id = ?1")?;
    let known: i64 = known.query_row([&finished.skill_id], |row| row.get(0))?;
    let mut add = sql.prepare_cached(
        "INSERT INTO touched (skill_id, kind, subject, uses, first_run, last_run) VALUES (?1, ?2, ?3, ?4, ?5, ?5)
         ON CONFLICT (skill_id, kind, subject) DO UPDATE SET uses = uses + ?4, last_run = ?5",
    )?;
    for ((kind, subject), uses) in &finished.touched {
        let subject = if known < MAX_TOUCHED { subject.as_str() } else { OTHERS };
        add.execute(params![finished.skill_id, kind, subject, signed(*uses), finished.run_id])?;
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
    pub(super) touched: Touched,
    pub(super) error: Option<&'static str>,
    pub(super) tape: Option<KeptTape>,
}

/// The lines of a run that are kept: as many as fit, and a word about the rest.
pub(super) fn lines(log: &[LogLine], channels: &[ChannelMessage]) -> Vec<(&'static str, String)> {
    let logged = log.iter().map(log_line);
    let published = channels.iter().map(channel_line);
    let mut lines: Vec<(&'static str, String)> = logged.chain(published).collect();
    let more = lines.len().saturating_sub(MAX_EVENTS);
    if more > 0 {
        lines.truncate(MAX_EVENTS - 1);
        lines.push(("log", format!("{} more lines were not kept", more + 1)));
    }
    lines.into_iter().map(|(kind, text)| (kind, clip(&text))).collect()
}

/// A line of log as a line of its run.
pub(super) fn log_line(line: &LogLine) -> (&'static str, String) {
    ("log", format!("{:?} {}: {}", line.level, line.source, clip(&line.message)))
}

/// A message to a channel as a line of its run.
pub(super) fn channel_line(message: &ChannelMessage) -> (&'static str, String) {
    let body = String::from_utf8_lossy(&message.body);
    ("channel", format!("{} ({}): {}", message.channel, message.content_type, clip(&body)))
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
