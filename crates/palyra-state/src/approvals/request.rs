//! Requesting approval: uses an approval that covers the call, returns the pending request, or creates one.

use std::sync::Arc;

use palyra_common::InformationLabels;
use palyra_journal::{Durability, EventKind, JournalError, JournalTransaction, NewEvent};
use palyra_skills::Sha256Digest;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use super::{
    Approval, ApprovalError, ApprovalScope, ApprovalStatus, ApprovalStore, MAX_SHOWN_ARGUMENTS, MAX_WAITING,
    MAX_WAITING_BYTES, REQUEST_LIFETIME_MS, decide, rows,
};
use crate::db::RowKey;
use crate::principal_id::PrincipalId;
use crate::text::short_name;

/// A call that requires approval.
#[derive(Debug, Clone)]
pub struct ApprovalRequest {
    /// Skill that owns the tool.
    pub skill_id: String,
    /// Full id of the tool, prefixed with its skill.
    pub tool_id: String,
    /// Digest of the release, from its signature.
    pub payload: Sha256Digest,
    /// Principal of the call, as its actor text.
    pub principal: String,
    /// Principal the call is made on behalf of; it cannot decide the request.
    pub requester: PrincipalId,
    /// The session the call belongs to.
    pub session: Option<String>,
    /// The parent run of the call.
    pub parent_run: Option<String>,
    /// SHA-256 over consent, policies, gates, profile, settings and grants in effect for the call.
    pub circumstances: Sha256Digest,
    /// The whole canonical arguments.
    pub arguments: Arc<str>,
    /// SHA-256 of `arguments`.
    pub arguments_sha256: Sha256Digest,
    /// Directories and address ranges that an operator adds to the call, escaped.
    pub grants: Vec<String>,
    /// Rules or gates that require approval, with their reasons.
    pub asked_because: Option<String>,
    /// Labels of the data the session of the call has read.
    pub labels: InformationLabels,
}

impl ApprovalRequest {
    /// Returns the SHA-256 over release, tool, principal, requester, circumstances and arguments.
    pub(super) fn binding(&self) -> Sha256Digest {
        let mut hash = Sha256::new_with_prefix(b"palyra.approval/v2\0");
        for digest in [&self.payload, &self.circumstances, &self.arguments_sha256] {
            hash.update(digest.as_bytes());
        }
        for part in [&*self.tool_id, &*self.principal, &self.requester.key()] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Sha256Digest::from_bytes(hash.finalize().into())
    }
}

/// Result of requesting approval.
pub enum ApprovalAnswer {
    /// An approval with this id covers the call; one use of it is counted.
    Approved(String),
    /// The request with this id is pending.
    Waiting(String),
    /// The requester has [`MAX_WAITING`] requests waiting.
    TooMany,
    /// The arguments of the requester's waiting requests would exceed [`MAX_WAITING_BYTES`].
    TooLarge,
}

impl ApprovalStore<'_> {
    /// Uses an approval that covers the call, or requests one. An identical pending request is returned
    /// instead of a second one.
    pub async fn ask(&self, request: ApprovalRequest) -> Result<ApprovalAnswer, ApprovalError> {
        let (key, now) = (Arc::clone(&self.state.row_key), self.state.expiry_now_ms());
        let new_id = new_id(now)?;
        let answer = self.state.journal.transaction(
            Durability::Full,
            move |transaction: &mut JournalTransaction<'_>| {
                use_or_ask(transaction, &key, &request, now, new_id)
            },
        );
        answer.await
    }

    /// Returns a receiver that changes with every decision about an approval.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.state.decisions.subscribe()
    }

    /// Reverts one use of an approval, for a call that did not start.
    pub async fn give_back(&self, approval_id: &str) -> Result<(), ApprovalError> {
        let (key, id) = (Arc::clone(&self.state.row_key), approval_id.to_owned());
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let mut approval = decide::read(transaction, &key, &id)?;
            approval.uses = approval.uses.saturating_sub(1);
            if approval.status == ApprovalStatus::Used {
                approval.status = ApprovalStatus::Approved;
            }
            rows::write(transaction.sql(), &key, &approval)
        };
        self.state.journal.transaction(Durability::Normal, work).await
    }
}

fn use_or_ask(
    transaction: &mut JournalTransaction<'_>,
    key: &RowKey,
    request: &ApprovalRequest,
    now: u64,
    new_id: String,
) -> Result<ApprovalAnswer, ApprovalError> {
    let requester = request.requester.key();
    let open = rows::read_open(transaction.sql(), &requester, &request.tool_id);
    let open = open.map_err(JournalError::sqlite("read approvals"))?;
    // A row with an invalid MAC permits nothing.
    let mut open: Vec<Approval> = open.into_iter().filter_map(|row| row.open(key).ok()).collect();
    for late in open.iter_mut().filter(|approval| approval.is_overdue(now)) {
        decide::expire(transaction, key, late, now)?;
    }
    if let Some(yes) = open.iter().find(|approval| approval.covers(request, now)) {
        let mut used = yes.clone();
        used.uses += 1;
        if used.scope == Some(ApprovalScope::Once) {
            used.status = ApprovalStatus::Used;
        }
        rows::write(transaction.sql(), key, &used)?;
        return Ok(ApprovalAnswer::Approved(used.approval_id));
    }
    let binding = request.binding();
    let same = |approval: &&Approval| {
        approval.status == ApprovalStatus::Pending
            && approval.binding == binding
            && approval.session == request.session
            && approval.parent_run == request.parent_run
    };
    if let Some(waiting) = open.iter().find(same) {
        return Ok(ApprovalAnswer::Waiting(waiting.approval_id.clone()));
    }
    let waiting = rows::waiting_of(transaction.sql(), &requester, now);
    let waiting = waiting.map_err(JournalError::sqlite("count approvals"))?;
    if waiting.requests >= MAX_WAITING {
        return Ok(ApprovalAnswer::TooMany);
    }
    if waiting.bytes.saturating_add(request.arguments.len() as u64) > MAX_WAITING_BYTES {
        return Ok(ApprovalAnswer::TooLarge);
    }
    ask(transaction, key, request, now, new_id).map(ApprovalAnswer::Waiting)
}

/// Writes the request and its leaf in the same transaction; returns its id.
fn ask(
    transaction: &mut JournalTransaction<'_>,
    key: &RowKey,
    request: &ApprovalRequest,
    now: u64,
    approval_id: String,
) -> Result<String, ApprovalError> {
    let arguments = beginning(&request.arguments);
    let approval = Approval {
        approval_id,
        status: ApprovalStatus::Pending,
        skill_id: request.skill_id.clone(),
        tool_id: request.tool_id.clone(),
        payload: request.payload,
        principal: request.principal.clone(),
        requester: Some(request.requester.clone()),
        session: request.session.clone(),
        parent_run: request.parent_run.clone(),
        binding: request.binding(),
        circumstances: Some(request.circumstances),
        arguments: arguments.to_owned(),
        arguments_bytes: request.arguments.len() as u64,
        arguments_sha256: Some(request.arguments_sha256),
        grants: request.grants.clone(),
        requested_ms: now,
        expires_ms: now.saturating_add(REQUEST_LIFETIME_MS),
        scope: None,
        decided_by: None,
        decided_ms: None,
        reason: None,
        asked_because: request.asked_because.clone(),
        labels: request.labels,
        uses: 0,
    };
    rows::write(transaction.sql(), key, &approval)?;
    if approval.arguments_omitted() > 0 {
        rows::write_arguments(transaction.sql(), &approval.approval_id, &request.arguments)?;
    }
    let details = json!({ "approval": approval.approval_id, "payload": approval.payload.to_string(),
        "binding": approval.binding.to_string(), "requested_by": short_name(&request.requester.name),
        "arguments_sha256": request.arguments_sha256.to_string(), "expires_ms": approval.expires_ms,
        "labels": request.labels });
    let event = NewEvent::new(EventKind::ApprovalRequested, now).actor(short_name(&approval.principal));
    let event = event.skill(&approval.skill_id).subject(&approval.tool_id).details(details);
    transaction.append(event)?;
    Ok(approval.approval_id)
}

/// Returns the first [`MAX_SHOWN_ARGUMENTS`] bytes, cut at a character boundary.
fn beginning(arguments: &str) -> &str {
    arguments.get(..arguments.floor_char_boundary(MAX_SHOWN_ARGUMENTS)).unwrap_or_default()
}

/// Returns a new id that sorts by time.
fn new_id(now: u64) -> Result<String, ApprovalError> {
    let id = crate::text::time_sorted_id("apr", now).map_err(|reason| crate::error::StateError::Record {
        doing: "written",
        key: "approval".into(),
        reason,
    })?;
    Ok(id)
}
