//! The rows of a run: inserted before its first effect, finished together with its receipt, with bounded output.

mod cost;
mod events;
mod interrupted;
mod list;
mod notes;
mod registry;
mod retention;
mod tapes;
mod uses;

pub use palyra_common::model::runs::{Run as RunRow, RunLine as RunEvent};

use std::sync::Arc;

use palyra_common::{Principal, WasmPluginRunError};
use palyra_journal::{JournalError, JournalTransaction, Leaf, Pending, PreparedEvent};
use palyra_plugins_runtime::{ChannelMessage, LogLine};
use palyra_skills::Sha256Digest;
use palyra_skills::index::SkillRecord;
use rusqlite::params;

pub use cost::ToolCost;
pub use events::{RunEvents, RunFollower, RunLine, RunUpdate};
pub use interrupted::close_abandoned;
pub(crate) use interrupted::close_interrupted;
pub(crate) use list::{RUN_COLUMNS, read_run};
pub use list::{RunPage, RunQuery};
pub use notes::{Refusal, RefusedBy, RunFailure, RunNotes, run_failure};
pub use registry::{COMPILING, Listed, RunListener, RunRegistry, RunningRun, unrunnable};
pub use retention::{DEFAULT_TAPE_STORE_BYTES, RunRetention, Trimmed};
pub use tapes::{KeptTape, TapeProblem};
pub use uses::{CapabilityUse, Touched, UseCount};

use crate::db::signed;
use crate::deliveries::{LaneKind, advance};
use crate::error::StateError;
use crate::state::State;
use crate::text::short_name;

crate::state::store! {
    /// Starts, finishes, lists and follows the runs of a state.
    RunStore, runs
}

/// Skill id of runs of inline modules; no installed skill can have it.
pub const INLINE: &str = "inline";

/// Maximum number of stored lines of a run.
const MAX_EVENTS: usize = 1_000;
/// Maximum bytes of one stored line.
const MAX_EVENT_BYTES: usize = 16 << 10;
/// Maximum number of touched resources that are stored by name for each skill.
pub(crate) const MAX_TOUCHED: i64 = 10_000;
/// Name under which further resources are counted.
pub const OTHERS: &str = "(others)";

/// SQL expression for the facts of a run's receipt, in a statement over `runs`. The facts are in the leaf;
/// rows of earlier versions have a copy, and for an archived leaf the result is NULL.
pub(crate) const RECEIPT_FACTS: &str =
    "coalesce(receipt, (SELECT details FROM journal_event WHERE seq = receipt_leaf))";

/// The code that a run executes, in the form in which rows and receipts name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSubject {
    /// Skill id, or [`INLINE`].
    pub skill_id: String,
    /// Id of its tool or hook.
    pub tool_id: String,
    /// SHA-256 of the release.
    pub payload: Sha256Digest,
    /// The digest in `payload` as text, formatted once for all runs.
    pub payload_text: String,
    /// Version of the release, if the skill is installed.
    pub version: Option<String>,
    /// Digest of the consent in effect for the release.
    pub consent: Option<String>,
}

impl RunSubject {
    /// Returns the subject for a tool or hook of an installed skill.
    pub fn installed(record: &SkillRecord, tool_id: &str) -> Self {
        let release = &record.current;
        Self {
            skill_id: record.skill_id.clone(),
            tool_id: tool_id.to_owned(),
            payload: release.payload,
            payload_text: release.payload.to_string(),
            version: Some(release.manifest.version.to_string()),
            consent: release.consent.map(|consent| consent.to_string()),
        }
    }
}

/// The facts of a run that are known at its start.
#[derive(Debug)]
pub struct RunStart {
    /// Id of the run.
    pub run_id: String,
    subject: Arc<RunSubject>,
    principal: String,
    session: Option<String>,
    started_ms: i64,
}

impl RunStart {
    /// Describes a run that begins now, with a new id if the caller chose none.
    pub fn new(
        state: &State,
        subject: &Arc<RunSubject>,
        principal: &Principal,
        session: Option<&str>,
        run_id: Option<&str>,
    ) -> Result<Self, WasmPluginRunError> {
        let now = state.now_ms();
        let (run_id, now) = match run_id {
            // Its time is that of its id, with which it is compared.
            Some(id) => (id.to_owned(), crate::text::time_of_id(id).unwrap_or(now)),
            None => (crate::text::time_sorted_id("run", now).map_err(WasmPluginRunError::Internal)?, now),
        };
        Ok(Self {
            run_id,
            subject: Arc::clone(subject),
            principal: short_name(&principal.actor()),
            session: session.map(str::to_owned),
            started_ms: signed(now),
        })
    }
}

/// Inserts the row of a run; the result is ready when the transaction is committed.
pub fn start(state: &State, run: &Arc<RunStart>) -> Pending<Result<(), JournalError>> {
    let run = Arc::clone(run);
    state.journal.shared(move |transaction: &mut JournalTransaction<'_>| {
        let sql = "INSERT INTO runs
            (run_id, skill_id, tool_id, payload, status, started_at, principal, session)
            VALUES (?1, ?2, ?3, ?4, 'started', ?5, ?6, ?7)";
        let RunStart { run_id, subject, principal, session, started_ms } = &*run;
        let RunSubject { skill_id, tool_id, payload_text, .. } = &**subject;
        let values = params![run_id, skill_id, tool_id, payload_text, started_ms, principal, session];
        let inserted = transaction.sql().prepare_cached(sql).and_then(|mut insert| insert.execute(values));
        inserted.map(|_| ()).map_err(JournalError::sqlite("begin a run"))
    })
}

/// Appends the receipt of a finished run and writes its rows in one transaction.
pub async fn finish(state: &State, finished: FinishedRun) -> Result<Leaf, StateError> {
    let written = state.journal.shared(move |transaction: &mut JournalTransaction<'_>| {
        let leaf = transaction.append_prepared(&finished.receipt)?;
        write(transaction, &finished, leaf.sequence).map_err(JournalError::sqlite("finish a run"))?;
        Ok(leaf)
    });
    written.await.map_err(|error: JournalError| error.into())
}

fn write(transaction: &JournalTransaction<'_>, finished: &FinishedRun, leaf: u64) -> rusqlite::Result<()> {
    let sql = transaction.sql();
    let mut upsert = sql.prepare_cached(
        "INSERT INTO runs (run_id, skill_id, tool_id, payload, status, started_at, principal, session,
                           finished_at, receipt_leaf, error, tape)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
         ON CONFLICT (run_id) DO UPDATE SET status = ?5, finished_at = ?9, receipt_leaf = ?10, error = ?11,
                                            tape = ?12
         WHERE status = 'started'",
    )?;
    let RunStart { run_id, subject, principal, session, started_ms } = &*finished.row;
    let written = upsert.execute(params![
        run_id,
        subject.skill_id,
        subject.tool_id,
        subject.payload_text,
        finished.status,
        started_ms,
        principal,
        session,
        signed(finished.at_ms),
        signed(leaf),
        finished.error,
        finished.tape.as_ref().map(|tape| tape.digest().to_string())
    ])?;
    // A run ends once: one that was closed before has its leaf already.
    if written != 1 {
        return Err(rusqlite::Error::StatementChangedRows(written));
    }
    if let Some((binding, next)) = &finished.passes {
        advance(sql, LaneKind::Hook, binding, *next, true)?;
    }
    if let Some(tape) = &finished.tape {
        tape.write(sql, signed(leaf))?;
    }
    finished.notes.write(transaction, run_id)?;
    for (number, (kind, text)) in &finished.events {
        let insert = "INSERT INTO run_events (run_id, number, kind, text) VALUES (?1, ?2, ?3, ?4)";
        sql.prepare_cached(insert)?.execute(params![run_id, signed(*number), kind, text])?;
    }
    touch(transaction, finished)?;
    for (capability, uses) in finished.uses.iter().filter(|(_, uses)| uses.used + uses.denied > 0) {
        let count =
            "INSERT INTO capability_use (skill_id, capability, uses, denials, last_run) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (skill_id, capability) DO UPDATE
             SET uses = uses + ?3, denials = denials + ?4, last_run = ?5";
        let (used, denied) = (signed(uses.used), signed(uses.denied));
        let values = params![subject.skill_id, capability, used, denied, run_id];
        sql.prepare_cached(count)?.execute(values)?;
    }
    Ok(())
}

/// Adds the resources a run touched to the totals of its skill; beyond [`MAX_TOUCHED`] new names are counted
/// as [`OTHERS`].
fn touch(transaction: &JournalTransaction<'_>, finished: &FinishedRun) -> rusqlite::Result<()> {
    if finished.touched.is_empty() {
        return Ok(());
    }
    let (sql, RunStart { run_id, subject, .. }) = (transaction.sql(), &*finished.row);
    let skill_id = &subject.skill_id;
    let mut again = sql.prepare_cached(
        "UPDATE touched SET uses = uses + ?4, last_run = ?5 WHERE skill_id = ?1 AND kind = ?2 AND subject = ?3",
    )?;
    let mut known = sql.prepare_cached("SELECT count(*) FROM touched WHERE skill_id = ?1")?;
    let mut add = sql.prepare_cached(
        "INSERT INTO touched (skill_id, kind, subject, uses, first_run, last_run) VALUES (?1, ?2, ?3, ?4, ?5, ?5)
         ON CONFLICT (skill_id, kind, subject) DO UPDATE SET uses = uses + ?4, last_run = ?5",
    )?;
    for ((kind, subject), uses) in &finished.touched {
        if again.execute(params![skill_id, kind, subject, signed(*uses), run_id])? > 0 {
            continue;
        }
        let known: i64 = known.query_row([skill_id], |row| row.get(0))?;
        let subject = if known < MAX_TOUCHED { subject.as_str() } else { OTHERS };
        add.execute(params![skill_id, kind, subject, signed(*uses), run_id])?;
    }
    Ok(())
}

/// The facts that are stored when a run ends.
pub struct FinishedRun {
    /// The facts known at its start.
    pub row: Arc<RunStart>,
    /// `completed`, `failed` or `cancelled`.
    pub status: &'static str,
    /// End time in Unix milliseconds.
    pub at_ms: u64,
    /// The receipt, prepared as a leaf of the journal.
    pub receipt: PreparedEvent,
    /// Lines of its output, each with its number.
    pub events: Vec<(u64, RunLine)>,
    /// Uses of each granted capability.
    pub uses: CapabilityUse,
    /// Resources that its host calls reached.
    pub touched: Touched,
    /// Error code, if it failed.
    pub error: Option<&'static str>,
    /// Cause of a failure, and the duration of its steps.
    pub notes: RunNotes,
    /// Its tape, if it could be stored.
    pub tape: Option<KeptTape>,
    /// Id of the hook binding whose cursor moves, with its new position.
    pub passes: Option<(String, u64)>,
}

/// Formats a log line of the sandbox as a line of its run.
fn log_line(line: &LogLine) -> RunLine {
    ("log", format!("{:?} {}: {}", line.level, line.source, line.message))
}

/// Formats a message to a channel as a line of its run.
pub fn channel_line(message: &ChannelMessage) -> RunLine {
    let body = String::from_utf8_lossy(&message.body);
    ("channel", format!("{} ({}): {}", message.channel, message.content_type, body))
}

/// Truncates and escapes a line, so that it cannot forge another one in a terminal.
fn clip(text: &str) -> String {
    let end = text.floor_char_boundary(MAX_EVENT_BYTES);
    palyra_common::redact::escape_untrusted(text.get(..end).unwrap_or_default())
}
