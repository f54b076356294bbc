//! Approvals in the database: each row with the owner's MAC.

use palyra_journal::JournalError;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use super::{Approval, ApprovalError, ApprovalStatus};
use crate::db::RowKey;
use crate::state::State;

const TABLE: &str = "approvals";
/// Most rows of one answer.
const MAX_PAGE: usize = 500;

/// Which approvals are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalFilter {
    /// Only those of this status.
    pub status: Option<ApprovalStatus>,
    /// Only those before this id, which are older.
    pub before: Option<String>,
    /// How many at most; 0 is 100.
    pub limit: usize,
}

/// Some approvals, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApprovalPage {
    /// The approvals.
    pub approvals: Vec<Approval>,
    /// Where the next page begins.
    pub next: Option<String>,
}

impl State {
    /// Approvals, newest first; those whose time ran out are closed first.
    pub fn approvals(&self, filter: &ApprovalFilter) -> Result<ApprovalPage, ApprovalError> {
        self.expire_approvals()?;
        let limit = if filter.limit == 0 { 100 } else { filter.limit.min(MAX_PAGE) };
        let read = |connection: &Connection| {
            let status = filter.status.map(ApprovalStatus::as_str);
            let sql = "SELECT approval_id, bytes, mac FROM approvals
                       WHERE (?1 IS NULL OR status = ?1) AND (?2 IS NULL OR approval_id < ?2)
                       ORDER BY approval_id DESC LIMIT ?3";
            let count = i64::try_from(limit + 1).unwrap_or(i64::MAX);
            let sealed = |row: &rusqlite::Row<'_>| {
                Ok(Sealed { id: row.get(0)?, bytes: row.get(1)?, mac: row.get(2)? })
            };
            let mut statement = connection.prepare(sql)?;
            let rows = statement.query_map(params![status, filter.before, count], sealed)?;
            rows.collect::<rusqlite::Result<Vec<Sealed>>>()
        };
        let rows: Vec<Sealed> = self
            .journal
            .read(|connection| read(connection).map_err(JournalError::sqlite("read approvals")))?;
        let mut approvals =
            rows.into_iter().map(|row| row.open(&self.row_key)).collect::<Result<Vec<_>, _>>()?;
        let next = (approvals.len() > limit).then(|| {
            approvals.truncate(limit);
            approvals.last().map(|last| last.approval_id.clone())
        });
        Ok(ApprovalPage { approvals, next: next.flatten() })
    }

    /// One approval; one whose time ran out is closed first.
    pub fn approval(&self, approval_id: &str) -> Result<Approval, ApprovalError> {
        self.expire_approvals()?;
        let row = self.journal.read(|connection| {
            read_sealed(connection, approval_id).map_err(JournalError::sqlite("read an approval"))
        })?;
        row.ok_or_else(|| not_found(approval_id))?.open(&self.row_key)
    }
}

/// A row as the database has it.
pub(super) struct Sealed {
    id: String,
    bytes: Vec<u8>,
    mac: Vec<u8>,
}

impl Sealed {
    /// The approval, if the owner wrote it.
    pub(super) fn open(self, key: &RowKey) -> Result<Approval, ApprovalError> {
        let tampered = || ApprovalError::Tampered { approval_id: crate::text::short_name(&self.id) };
        key.check_in(TABLE, &self.id, &self.bytes, &self.mac).map_err(|_| tampered())?;
        serde_json::from_slice(&self.bytes).map_err(|_| tampered())
    }
}

pub(super) fn read_sealed(connection: &Connection, approval_id: &str) -> rusqlite::Result<Option<Sealed>> {
    let sql = "SELECT approval_id, bytes, mac FROM approvals WHERE approval_id = ?1";
    let read = |row: &rusqlite::Row<'_>| Ok(Sealed { id: row.get(0)?, bytes: row.get(1)?, mac: row.get(2)? });
    connection.query_row(sql, [approval_id], read).optional()
}

/// The rows of a tool that may matter to a call of it, newest first.
pub(super) fn read_open_of_tool(connection: &Connection, tool_id: &str) -> rusqlite::Result<Vec<Sealed>> {
    let sql = "SELECT approval_id, bytes, mac FROM approvals
               WHERE tool_id = ?1 AND status IN ('pending', 'approved') ORDER BY approval_id DESC LIMIT 1000";
    let read = |row: &rusqlite::Row<'_>| Ok(Sealed { id: row.get(0)?, bytes: row.get(1)?, mac: row.get(2)? });
    connection.prepare_cached(sql)?.query_map([tool_id], read)?.collect()
}

/// The rows nobody decided yet.
pub(super) fn read_pending(connection: &Connection) -> rusqlite::Result<Vec<Sealed>> {
    let sql = "SELECT approval_id, bytes, mac FROM approvals WHERE status = 'pending' LIMIT 1000";
    let read = |row: &rusqlite::Row<'_>| Ok(Sealed { id: row.get(0)?, bytes: row.get(1)?, mac: row.get(2)? });
    connection.prepare_cached(sql)?.query_map([], read)?.collect()
}

pub(super) fn write(connection: &Connection, key: &RowKey, approval: &Approval) -> Result<(), ApprovalError> {
    let failed = crate::error::StateError::record("written", &approval.approval_id);
    let bytes = serde_json::to_vec(approval).map_err(failed)?;
    let mac = key.seal_in(TABLE, &approval.approval_id, &bytes);
    let sql = "INSERT OR REPLACE INTO approvals
               (approval_id, status, skill_id, tool_id, binding, requested_at, bytes, mac)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
    let requested = i64::try_from(approval.requested_ms).unwrap_or(i64::MAX);
    let values = params![
        approval.approval_id,
        approval.status.as_str(),
        approval.skill_id,
        approval.tool_id,
        approval.binding.to_string(),
        requested,
        bytes,
        mac.as_slice()
    ];
    connection.execute(sql, values).map_err(JournalError::sqlite("write an approval"))?;
    Ok(())
}

pub(super) fn not_found(approval_id: &str) -> ApprovalError {
    ApprovalError::NotFound { approval_id: crate::text::short_name(approval_id) }
}
