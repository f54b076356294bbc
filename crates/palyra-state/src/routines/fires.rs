//! Fires of routines: claimed once, before any effect, and finished once.

use std::sync::Arc;

use palyra_journal::{Durability, EventKind, JournalError, JournalTransaction, Leaf, NewEvent};
use rusqlite::params;
use serde::Serialize;
use serde_json::json;

use super::ControlStore;
use super::budget::{self, Budget};
use crate::db::{RowKey, signed};
use crate::error::StateError;
use crate::text::short_name;

/// A routine and a due time; identifies a fire.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct FireKey {
    /// Name of the routine.
    pub routine: String,
    /// Due time in Unix milliseconds.
    pub due_ms: u64,
}

/// Cause of a fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FireCause {
    /// The due time of the schedule was reached.
    Schedule,
    /// Requested by a principal.
    Manual,
}

/// Status of a fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FireStatus {
    /// Claimed and not finished yet.
    Running,
    /// Returned a result.
    Completed,
    /// Ended with an error.
    Failed,
    /// Was due and did not fire; the reason is recorded.
    Skipped,
    /// The owning process ended before the fire did.
    Interrupted,
}

/// A fire to be claimed.
#[derive(Debug, Clone)]
pub struct NewFire {
    /// Routine and due time.
    pub key: FireKey,
    /// Schedule or request.
    pub cause: FireCause,
    /// Principal the fire acts as.
    pub principal: String,
    /// Full id of the tool it calls; `None` for a built-in routine.
    pub tool_id: Option<String>,
    /// Delay after the due time, in milliseconds.
    pub late_ms: u64,
    /// Budget of the objective it is charged to.
    pub budget: Option<Budget>,
    /// Maximum fuel of its run, reserved of the budget; all that is left if unknown.
    pub most_fuel: Option<u64>,
}

/// Result of claiming a fire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimedFire {
    /// The caller has to carry out the fire, with at most this much fuel.
    Go {
        /// Fuel reserved of the budget; `None` if unlimited.
        fuel_left: Option<u64>,
    },
    /// The fire was already claimed or skipped.
    Taken,
    /// Nothing of the budget is left that no other fire reserved; the fire is recorded as skipped.
    Exhausted,
}

/// Outcome of a fire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FireEnd {
    /// Final status.
    pub status: FireStatus,
    /// Id of the run, if one was started.
    pub run_id: Option<String>,
    /// Error code, if it failed.
    pub error: Option<String>,
    /// Result or error as text.
    pub message: Option<String>,
    /// Fuel used by the run.
    pub fuel: Option<u64>,
}

impl FireKey {
    /// Returns the session id of the run of this fire, which links the run to the fire.
    pub fn session(&self) -> String {
        format!("routine:{}@{}", self.routine, self.due_ms)
    }
}

impl FireCause {
    /// Returns the cause in the database and in API responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Schedule => "schedule",
            Self::Manual => "manual",
        }
    }
}

impl FireStatus {
    /// Returns the status in the database and in API responses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
            Self::Interrupted => "interrupted",
        }
    }
}

impl ControlStore<'_> {
    /// Claims a fire. The claim is committed to disk with its leaf before this returns, so a killed process
    /// never fires twice.
    pub async fn claim_fire(&self, fire: NewFire) -> Result<ClaimedFire, StateError> {
        let (key, now) = (Arc::clone(&self.state.row_key), self.state.now_ms());
        let work = move |transaction: &mut JournalTransaction<'_>| claim(transaction, &key, &fire, now);
        self.state.journal.transaction(Durability::Full, work).await
    }

    /// Records that a due time is skipped; returns false if the fire was already claimed or skipped.
    pub async fn pass_fire(
        &self,
        key: FireKey,
        cause: FireCause,
        reason: &'static str,
    ) -> Result<bool, StateError> {
        let now = self.state.now_ms();
        let row =
            Row { key, cause, status: FireStatus::Skipped, reason: Some(reason), now, ..Row::default() };
        let work = move |transaction: &mut JournalTransaction<'_>| insert(transaction, &row);
        self.state.journal.transaction(Durability::Normal, work).await
    }

    /// Records the outcome of a fire and charges its objective.
    pub async fn finish_fire(&self, key: FireKey, end: FireEnd) -> Result<(), StateError> {
        let (row_key, now) = (Arc::clone(&self.state.row_key), self.state.now_ms());
        let work =
            move |transaction: &mut JournalTransaction<'_>| finish(transaction, &row_key, &key, &end, now);
        self.state.journal.transaction(Durability::Normal, work).await
    }
}

fn claim(
    transaction: &mut JournalTransaction<'_>,
    key: &RowKey,
    fire: &NewFire,
    now: u64,
) -> Result<ClaimedFire, StateError> {
    let mut row = Row {
        key: fire.key.clone(),
        cause: fire.cause,
        now,
        late_ms: fire.late_ms,
        tool_id: fire.tool_id.clone(),
        objective: fire.budget.as_ref().map(|budget| budget.objective.clone()),
        ..Row::default()
    };
    let Some(budget) = &fire.budget else {
        return begin(transaction, fire, &row, now)
            .map(|begun| if begun { ClaimedFire::Go { fuel_left: None } } else { ClaimedFire::Taken });
    };
    let mut used = budget::read_use(transaction.sql(), key, &budget.objective)?;
    if budget.is_exhausted(used.with_reserved()) {
        (row.status, row.reason) = (FireStatus::Skipped, Some("budget"));
        return Ok(if insert(transaction, &row)? { ClaimedFire::Exhausted } else { ClaimedFire::Taken });
    }
    if !begin(transaction, fire, &row, now)? {
        return Ok(ClaimedFire::Taken);
    }
    let fuel_left = used.reserve(&fire.key, budget, fire.most_fuel);
    used.runs = used.runs.saturating_add(1);
    budget::write_use(transaction.sql(), key, &budget.objective, &used)?;
    if budget.is_exhausted(used.used()) {
        tell_exhausted(transaction, &budget.objective, &fire.principal, now)?;
    }
    Ok(ClaimedFire::Go { fuel_left })
}

/// Inserts the row and appends its leaf; returns false if the fire was already claimed or skipped.
fn begin(
    transaction: &mut JournalTransaction<'_>,
    fire: &NewFire,
    row: &Row,
    now: u64,
) -> Result<bool, StateError> {
    if !insert(transaction, row)? {
        return Ok(false);
    }
    let details = json!({ "due_ms": fire.key.due_ms, "cause": fire.cause, "late_ms": fire.late_ms,
        "tool": fire.tool_id, "objective": row.objective });
    let event = NewEvent::new(EventKind::RoutineFired, now).actor(short_name(&fire.principal));
    transaction.append(event.subject(&fire.key.routine).details(details))?;
    Ok(true)
}

fn finish(
    transaction: &mut JournalTransaction<'_>,
    row_key: &RowKey,
    key: &FireKey,
    end: &FireEnd,
    now: u64,
) -> Result<(), StateError> {
    let sql = "UPDATE routine_fires SET status = ?3, finished_at = ?4, run_id = ?5, error = ?6, message = ?7,
               fuel = ?8 WHERE routine = ?1 AND due_at = ?2 AND status = 'running'
               RETURNING objective";
    let values = params![
        key.routine,
        signed(key.due_ms),
        end.status.as_str(),
        signed(now),
        end.run_id,
        end.error,
        end.message,
        end.fuel.map(signed)
    ];
    let mut update = transaction.sql().prepare_cached(sql).map_err(JournalError::sqlite("finish a fire"))?;
    let ended: Vec<Option<String>> = update
        .query_map(values, |row| row.get(0))
        .and_then(Iterator::collect)
        .map_err(JournalError::sqlite("finish a fire"))?;
    drop(update);
    let Some(Some(objective)) = ended.into_iter().next() else { return Ok(()) };
    let mut used = budget::read_use(transaction.sql(), row_key, &objective)?;
    used.settle(key, end.fuel.unwrap_or_default());
    budget::write_use(transaction.sql(), row_key, &objective, &used)
}

fn tell_exhausted(
    transaction: &mut JournalTransaction<'_>,
    objective: &str,
    principal: &str,
    now: u64,
) -> Result<Leaf, StateError> {
    let event = NewEvent::new(EventKind::ObjectiveChanged, now).actor(short_name(principal));
    let event = event.subject(objective).details(json!({ "what": "exhausted", "sha256": null }));
    Ok(transaction.append(event)?)
}

/// The values of a new row; the end of the fire is added by an update.
struct Row {
    key: FireKey,
    cause: FireCause,
    status: FireStatus,
    reason: Option<&'static str>,
    now: u64,
    late_ms: u64,
    tool_id: Option<String>,
    objective: Option<String>,
}

impl Default for Row {
    fn default() -> Self {
        Self {
            key: FireKey { routine: String::new(), due_ms: 0 },
            cause: FireCause::Schedule,
            status: FireStatus::Running,
            reason: None,
            now: 0,
            late_ms: 0,
            tool_id: None,
            objective: None,
        }
    }
}

/// Inserts the row; returns false if one with this routine and due time exists.
fn insert(transaction: &JournalTransaction<'_>, row: &Row) -> Result<bool, StateError> {
    let sql = "INSERT INTO routine_fires
        (routine, due_at, cause, status, reason, fired_at, late_ms, finished_at, tool_id, objective)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (routine, due_at) DO NOTHING";
    let finished = (row.status != FireStatus::Running).then(|| signed(row.now));
    let values = params![
        row.key.routine,
        signed(row.key.due_ms),
        row.cause.as_str(),
        row.status.as_str(),
        row.reason,
        signed(row.now),
        signed(row.late_ms),
        finished,
        row.tool_id,
        row.objective
    ];
    let inserted = transaction.sql().prepare_cached(sql).and_then(|mut insert| insert.execute(values));
    Ok(inserted.map_err(JournalError::sqlite("claim a fire"))? == 1)
}
