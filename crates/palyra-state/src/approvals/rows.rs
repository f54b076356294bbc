//! Approvals in the database: each row with the owner's MAC.

use palyra_journal::JournalError;
use palyra_skills::Sha256Digest;
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

use super::{Approval, ApprovalError, ApprovalStatus, ApprovalStore, MAX_ARGUMENTS_PIECE};
use crate::db::{RowKey, signed, unsigned};
use crate::principal_id::PrincipalId;

const TABLE: &str = "approvals";
/// Maximum number of approvals in one page.
const MAX_PAGE: usize = 500;

/// Selects approvals for a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalFilter {
    /// Only approvals with this status.
    pub status: Option<ApprovalStatus>,
    /// Only approvals older than this id.
    pub before: Option<String>,
    /// Maximum number of results; 0 means 100.
    pub limit: usize,
}

/// One page of approvals, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ApprovalPage {
    /// At most the requested number, newest first.
    pub approvals: Vec<Approval>,
    /// `before` of the next page; `None` on the last page.
    pub next: Option<String>,
}

impl ApprovalStore<'_> {
    /// Returns approvals, newest first, after closing those that have expired.
    pub fn list(&self, filter: &ApprovalFilter) -> Result<ApprovalPage, ApprovalError> {
        self.expire()?;
        let limit = if filter.limit == 0 { 100 } else { filter.limit.min(MAX_PAGE) };
        let read = |connection: &Connection| {
            let status = filter.status.map(ApprovalStatus::wire_name);
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
        let rows: Vec<Sealed> = self.state.read("read approvals", read)?;
        let mut approvals =
            rows.into_iter().map(|row| row.open(&self.state.row_key)).collect::<Result<Vec<_>, _>>()?;
        let next = (approvals.len() > limit).then(|| {
            approvals.truncate(limit);
            approvals.last().map(|last| last.approval_id.clone())
        });
        Ok(ApprovalPage { approvals, next: next.flatten() })
    }

    /// Returns one approval, after closing it if it has expired.
    pub fn get(&self, approval_id: &str) -> Result<Approval, ApprovalError> {
        self.expire()?;
        self.stored(approval_id)
    }

    /// Returns one approval as stored; it may have expired and not be closed yet.
    pub(super) fn stored(&self, approval_id: &str) -> Result<Approval, ApprovalError> {
        let row = self.state.read("read an approval", |connection| read_sealed(connection, approval_id))?;
        row.ok_or_else(|| not_found(approval_id))?.open(&self.state.row_key)
    }

    /// Returns one approval with a piece of its arguments, at most [`MAX_ARGUMENTS_PIECE`] bytes from byte `from`.
    ///
    /// A denied or expired request keeps only the truncated arguments. The first piece is checked against the digest
    /// of the whole; a caller that joins pieces checks the digest itself.
    pub fn arguments(&self, approval_id: &str, from: u64) -> Result<Approval, ApprovalError> {
        let mut approval = self.get(approval_id)?;
        if approval.arguments_omitted() > 0 {
            let kept =
                self.state.read("read arguments", |connection| read_arguments(connection, approval_id))?;
            let whole = |text: &String| approval.arguments_sha256 == Some(Sha256Digest::of(text.as_bytes()));
            if from == 0 && kept.as_ref().is_some_and(|text| !whole(text)) {
                return Err(ApprovalError::Tampered { approval_id: approval.approval_id });
            }
            approval.arguments = kept.unwrap_or(approval.arguments);
        }
        let text = &approval.arguments;
        let begin = text.floor_char_boundary(usize::try_from(from).unwrap_or(usize::MAX));
        let end = text.floor_char_boundary(begin.saturating_add(MAX_ARGUMENTS_PIECE));
        approval.arguments = text.get(begin..end).unwrap_or_default().to_owned();
        Ok(approval)
    }
}

/// A row as stored, before its MAC is checked.
pub(super) struct Sealed {
    id: String,
    bytes: Vec<u8>,
    mac: Vec<u8>,
}

impl Sealed {
    /// Checks the MAC and parses the approval.
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

/// Returns the open rows of a requester for a tool, newest first, at most 1000.
pub(super) fn read_open(
    connection: &Connection,
    requester: &str,
    tool_id: &str,
) -> rusqlite::Result<Vec<Sealed>> {
    let sql = "SELECT approval_id, bytes, mac FROM approvals
               WHERE requester = ?1 AND tool_id = ?2 AND status IN ('pending', 'approved')
               ORDER BY approval_id DESC LIMIT 1000";
    let read = |row: &rusqlite::Row<'_>| Ok(Sealed { id: row.get(0)?, bytes: row.get(1)?, mac: row.get(2)? });
    connection.prepare_cached(sql)?.query_map([requester, tool_id], read)?.collect()
}

/// Number and argument bytes of a requester's pending requests.
pub(super) struct Waiting {
    pub(super) requests: u64,
    pub(super) bytes: u64,
}

pub(super) fn waiting_of(connection: &Connection, requester: &str, now: u64) -> rusqlite::Result<Waiting> {
    let sql = "SELECT count(*), coalesce(sum(arguments_bytes), 0) FROM approvals
               WHERE requester = ?1 AND status = 'pending' AND expires_at > ?2";
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Waiting { requests: unsigned(row.get(0)?), bytes: unsigned(row.get(1)?) })
    };
    connection.prepare_cached(sql)?.query_row(params![requester, signed(now)], read)
}

/// Returns the ids of open rows that have expired. Rows of 945e3d1 have `expires_at` 0 and are among them.
pub(super) fn read_overdue(connection: &Connection, now: u64) -> rusqlite::Result<Vec<String>> {
    let sql = "SELECT approval_id FROM approvals
               WHERE status IN ('pending', 'approved') AND expires_at <= ?1 ORDER BY expires_at LIMIT 1000";
    connection.prepare_cached(sql)?.query_map([signed(now)], |row| row.get(0))?.collect()
}

/// Stores the whole arguments of a request whose row truncates them.
pub(super) fn write_arguments(
    connection: &Connection,
    approval_id: &str,
    arguments: &str,
) -> Result<(), ApprovalError> {
    let sql = "INSERT OR REPLACE INTO approval_arguments (approval_id, arguments) VALUES (?1, ?2)";
    let written = connection.execute(sql, [approval_id, arguments]);
    written.map_err(JournalError::sqlite("write arguments"))?;
    Ok(())
}

/// Removes the whole arguments of a closed approval; its row keeps their beginning, length and digest.
pub(super) fn drop_arguments(connection: &Connection, approval_id: &str) -> Result<(), ApprovalError> {
    let sql = "DELETE FROM approval_arguments WHERE approval_id = ?1";
    connection.execute(sql, [approval_id]).map_err(JournalError::sqlite("drop arguments"))?;
    Ok(())
}

fn read_arguments(connection: &Connection, approval_id: &str) -> rusqlite::Result<Option<String>> {
    let sql = "SELECT arguments FROM approval_arguments WHERE approval_id = ?1";
    connection.query_row(sql, [approval_id], |row| row.get(0)).optional()
}

pub(super) fn write(connection: &Connection, key: &RowKey, approval: &Approval) -> Result<(), ApprovalError> {
    let failed = crate::error::StateError::record("written", &approval.approval_id);
    let bytes = serde_json::to_vec(approval).map_err(failed)?;
    let mac = key.seal_in(TABLE, &approval.approval_id, &bytes);
    let sql = "INSERT OR REPLACE INTO approvals
               (approval_id, status, skill_id, tool_id, binding, requested_at, bytes, mac, requester, expires_at,
                arguments_bytes)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    let values = params![
        approval.approval_id,
        approval.status.wire_name(),
        approval.skill_id,
        approval.tool_id,
        approval.binding.to_string(),
        signed(approval.requested_ms),
        bytes,
        mac.as_slice(),
        approval.requester.as_ref().map(PrincipalId::key).unwrap_or_default(),
        signed(approval.expires_ms),
        signed(approval.arguments_bytes)
    ];
    connection.execute(sql, values).map_err(JournalError::sqlite("write an approval"))?;
    Ok(())
}

pub(super) fn not_found(approval_id: &str) -> ApprovalError {
    ApprovalError::NotFound { approval_id: crate::text::short_name(approval_id) }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use palyra_common::InformationLabels;
    use palyra_vault::KeySourceChoice;

    use super::*;
    use crate::approvals::{ApprovalAnswer, ApprovalRequest};
    use crate::root::StateRoot;
    use crate::state::StateOptions;

    #[tokio::test]
    async fn arguments_come_in_pieces_of_one_mebibyte() {
        let directory = tempfile::tempdir().unwrap();
        let options = StateOptions { key_source: KeySourceChoice::File, ..StateOptions::default() };
        let state = StateRoot::new(directory.path().join("root")).init(&options).unwrap();
        let whole = format!("\"{}\"", "\u{e9}".repeat(1_200_000));
        let request = ApprovalRequest {
            skill_id: "acme.notes".into(),
            tool_id: "acme.notes.add".into(),
            payload: Sha256Digest::of(b"release"),
            principal: "owner".into(),
            requester: PrincipalId::default(),
            session: None,
            parent_run: None,
            circumstances: Sha256Digest::of(b"circumstances"),
            arguments: whole.as_str().into(),
            arguments_sha256: Sha256Digest::of(whole.as_bytes()),
            grants: Vec::new(),
            asked_because: None,
            labels: InformationLabels::default(),
        };
        let ApprovalAnswer::Waiting(id) = state.approvals().ask(request).await.unwrap() else { panic!() };
        let mut read = String::new();
        for length in [1_048_575, 1_048_576, 302_851] {
            let piece = state.approvals().arguments(&id, read.len() as u64).unwrap().arguments;
            assert_eq!(piece.len(), length);
            read.push_str(&piece);
        }
        assert_eq!(read, whole);
    }
}
