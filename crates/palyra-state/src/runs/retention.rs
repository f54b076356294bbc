//! Retention of tapes, lines and notes of runs, and of closed approvals; rows of runs and leaves are kept.

use std::sync::atomic::Ordering;

use palyra_common::BadSetting;
use palyra_journal::{Durability, EventKind, JournalError, JournalTransaction};
use palyra_skills::Sha256Digest;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::RunStore;
use crate::commit::Change;
use crate::db::signed;
use crate::error::StateError;
use crate::plugins::{PluginSettingError, Revised, put_retention};
use crate::text::first_id_at;

/// Number of runs that are trimmed in one transaction.
const BATCH: i64 = 500;
const SMALL_TAPE_GOES: &str =
    "DELETE FROM run_tapes WHERE leaf = (SELECT receipt_leaf FROM runs WHERE run_id = ?1)";
const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// Default limit for the total size of all spooled tapes, in bytes.
pub const DEFAULT_TAPE_STORE_BYTES: u64 = 4 << 30;

/// Limits for data of finished runs besides their rows and leaves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunRetention {
    /// Maximum age in days of the run of a tape or line; at least 1.
    pub max_age_days: u32,
    /// Number of newest runs that keep their tapes and lines.
    pub max_runs: u64,
    /// Maximum total size of all spooled tapes in bytes; the tapes of the oldest runs are removed first.
    pub max_tape_store_bytes: u64,
}

impl Default for RunRetention {
    fn default() -> Self {
        Self { max_age_days: 30, max_runs: 10_000, max_tape_store_bytes: DEFAULT_TAPE_STORE_BYTES }
    }
}

/// Numbers of removed items.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Trimmed {
    /// Runs whose tape and lines were removed.
    pub runs: u64,
    /// Removed tapes.
    pub tapes: u64,
    /// Removed closed approvals.
    pub approvals: u64,
}

impl RunStore<'_> {
    /// Returns the retention settings with their revision.
    pub fn retention(&self) -> Revised<RunRetention> {
        self.state.view().plugins().retention.clone()
    }

    /// Sets the retention on behalf of a principal; returns the revision.
    pub fn set_retention(
        &self,
        retention: &RunRetention,
        principal: &str,
    ) -> Result<u64, PluginSettingError> {
        if retention.max_age_days == 0 {
            return Err(BadSetting::new("max_age_days", "0", "at least 1").into());
        }
        let mut gate = self.state.gate();
        let revision = gate.view.generation() + 1;
        let rows = vec![put_retention(revision, retention)?];
        let event = self.state.event(EventKind::PolicyChanged, principal);
        let event =
            event.subject("retention").details(json!({ "revision": revision, "retention": retention }));
        self.state.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(revision)
    }

    /// Removes everything beyond the retention settings. Blocks the calling thread; does nothing during a backup.
    pub fn trim(&self) -> Result<Trimmed, StateError> {
        // A backup reads these files in place, and the next trim is soon enough.
        if self.state.backing_up.load(Ordering::SeqCst) {
            return Ok(Trimmed::default());
        }
        let retention = self.retention().value;
        let oldest =
            self.state.now_ms().saturating_sub(u64::from(retention.max_age_days).saturating_mul(DAY_MS));
        let approvals = self.state.journal.transaction(Durability::Normal, move |transaction| {
            let sql = "DELETE FROM approvals
                       WHERE status IN ('used', 'denied', 'expired') AND requested_at < ?1";
            let arguments = "DELETE FROM approval_arguments WHERE approval_id NOT IN
                             (SELECT approval_id FROM approvals)";
            let gone = transaction.sql().execute(sql, [signed(oldest)]);
            let gone = gone.and_then(|gone| transaction.sql().execute(arguments, []).map(|_| gone));
            gone.map_err(JournalError::sqlite("trim approvals"))
        });
        let approvals = approvals.wait()? as u64;
        let mut trimmed = Trimmed { approvals, ..Trimmed::default() };
        let mut up_to = self.state.trimmed_up_to.lock();
        loop {
            let bounds = Bounds { after: &up_to, older_than_ms: oldest, most: retention.max_runs };
            let old = self.state.read("look for old runs", |connection| to_trim(connection, &bounds))?;
            let Some(last) = old.last().map(|(run_id, _)| run_id.clone()) else { return Ok(trimmed) };
            // A run that is still in progress is trimmed later, so the position must not move past it.
            let passed = self.state.running.first().is_none_or(|running| last < running);
            trimmed.runs += old.len() as u64;
            // The tape first: a row without its tape is detected, but an unreferenced tape would never be removed.
            for digest in old.iter().filter_map(|(_, tape)| tape.as_ref()?.parse::<Sha256Digest>().ok()) {
                trimmed.tapes += u64::from(self.tapes()?.remove(&digest)?);
            }
            // The total is computed again when the next tape is spooled.
            *self.state.tape_bytes.lock() = None;
            let work = move |transaction: &mut JournalTransaction<'_>| trim(transaction, &old);
            let written = self.state.journal.transaction(Durability::Normal, work);
            trimmed.tapes += written.wait().map_err(|error: JournalError| StateError::from(error))?;
            // Only after the commit: runs that were not trimmed have to be found again.
            if passed {
                *up_to = last;
            }
        }
    }
}

impl RunStore<'_> {
    /// Adds a spooled tape to the total, and removes the oldest tapes if it exceeds the limit. Blocks the
    /// calling thread.
    pub(super) fn keep_tapes_within_quota(&self, added: u64) -> Result<(), StateError> {
        let most = self.retention().value.max_tape_store_bytes;
        let mut known = self.state.tape_bytes.lock();
        let mut total = match *known {
            Some(total) => total.saturating_add(added),
            None => self.tapes()?.total_bytes()?,
        };
        *known = Some(total);
        // A backup reads tapes in place; the next tape finds the same total.
        if total <= most || self.state.backing_up.load(Ordering::SeqCst) {
            return Ok(());
        }
        // Removes down to 90 % of the limit, so that not every run has to search for old tapes.
        let enough = most.saturating_sub(most / 10);
        let mut after = String::new();
        while total > enough {
            let old = self.state.read("look for old tapes", |connection| oldest_taped(connection, &after))?;
            let Some((last, _)) = old.last() else { break };
            after.clone_from(last);
            let mut gone = Vec::new();
            for (run_id, tape) in old {
                let digest = tape.as_ref().and_then(|tape| tape.parse::<Sha256Digest>().ok());
                let size = digest.and_then(|digest| Some((digest, self.tapes().ok()?.size_of(&digest)?)));
                // A small tape is in the database, where the number of runs limits its size.
                let Some((digest, size)) = size else { continue };
                self.tapes()?.remove(&digest)?;
                total = total.saturating_sub(size);
                *known = Some(total);
                gone.push((run_id, tape));
                if total <= enough {
                    break;
                }
            }
            let work = move |transaction: &mut JournalTransaction<'_>| trim(transaction, &gone);
            self.state.journal.transaction(Durability::Normal, work).wait().map_err(StateError::from)?;
        }
        Ok(())
    }
}

/// Returns finished runs with a tape, oldest first.
fn oldest_taped(connection: &Connection, after: &str) -> rusqlite::Result<Vec<(String, Option<String>)>> {
    let sql = "SELECT run_id, tape FROM runs
               WHERE run_id > ?1 AND tape IS NOT NULL AND status <> 'started' ORDER BY run_id LIMIT ?2";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    connection.prepare_cached(sql)?.query_map(params![after, BATCH], read)?.collect()
}

/// Selects the runs to trim.
struct Bounds<'a> {
    /// All runs up to this id were trimmed. Only saves scanning them again.
    after: &'a str,
    older_than_ms: u64,
    most: u64,
}

/// Returns runs to trim, oldest first; ids sort by time.
fn to_trim(connection: &Connection, bounds: &Bounds<'_>) -> rusqlite::Result<Vec<(String, Option<String>)>> {
    let newest = "SELECT run_id FROM runs ORDER BY run_id DESC LIMIT 1 OFFSET ?1";
    let newest: Option<String> =
        connection.prepare_cached(newest)?.query_row([signed(bounds.most)], |row| row.get(0)).optional()?;
    let last = newest.unwrap_or_default().max(first_id_at("run", bounds.older_than_ms));
    let sql = "SELECT run_id, tape FROM runs
               WHERE run_id > ?1 AND run_id <= ?2 AND trimmed = 0 AND status <> 'started' ORDER BY run_id LIMIT ?3";
    let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    connection.prepare_cached(sql)?.query_map(params![bounds.after, last, BATCH], read)?.collect()
}

/// Removes lines, notes and small tapes of runs; returns the number of small tapes.
fn trim(transaction: &JournalTransaction<'_>, old: &[(String, Option<String>)]) -> Result<u64, JournalError> {
    let (sql, mut tapes) = (transaction.sql(), 0);
    for (run_id, _) in old {
        let failed = JournalError::sqlite("trim a run");
        let gone = sql
            .execute("DELETE FROM run_events WHERE run_id = ?1", [run_id])
            .and_then(|_| sql.execute("DELETE FROM run_notes WHERE run_id = ?1", [run_id]))
            .and_then(|_| sql.execute(SMALL_TAPE_GOES, [run_id]))
            .and_then(|small| {
                tapes += small as u64;
                sql.execute("UPDATE runs SET tape = NULL, trimmed = 1 WHERE run_id = ?1", [run_id])
            });
        gone.map_err(failed)?;
    }
    Ok(tapes)
}
