//! Asking: use a yes that is there, find the request that waits, or make one.

use std::sync::Arc;

use palyra_journal::{Durability, EventKind, JournalError, JournalTransaction, NewEvent};
use palyra_skills::Sha256Digest;
use serde_json::json;

use super::{Approval, ApprovalError, ApprovalScope, ApprovalStatus, REQUEST_LIFETIME_MS, rows};
use crate::db::RowKey;
use crate::state::State;
use crate::text::short_name;

/// Longest arguments that are kept for people to look at.
const MAX_SHOWN_ARGUMENTS: usize = 4_096;
/// Most requests of one tool that may wait at once.
const MAX_WAITING: usize = 100;

/// A call that needs a yes.
#[derive(Debug, Clone)]
pub(crate) struct ApprovalRequest {
    pub(crate) skill_id: String,
    pub(crate) tool_id: String,
    pub(crate) payload: Sha256Digest,
    pub(crate) principal: String,
    pub(crate) session: Option<String>,
    pub(crate) parent_run: Option<String>,
    pub(crate) binding: Sha256Digest,
    pub(crate) arguments: String,
    pub(crate) asked_because: Option<String>,
}

/// How a request stands.
pub(crate) enum Standing {
    /// Somebody said yes, and it counts for this call.
    Approved(String),
    /// Nobody decided yet.
    Waiting(String),
    /// The tool has as many requests waiting as it may.
    TooMany,
}

impl State {
    /// Uses up a yes that covers the call, or asks for one.
    pub(crate) async fn ask_approval(&self, request: ApprovalRequest) -> Result<Standing, ApprovalError> {
        let (key, now) = (Arc::clone(&self.row_key), self.now_ms());
        let new_id = new_id(now)?;
        let standing =
            self.journal.transaction(Durability::Full, move |transaction: &mut JournalTransaction<'_>| {
                stand(transaction, &key, &request, now, new_id)
            });
        standing.await
    }

    /// Takes back one use of a yes, for a call that did not begin.
    pub(crate) async fn give_back_approval(&self, approval_id: &str) -> Result<(), ApprovalError> {
        let (key, id) = (Arc::clone(&self.row_key), approval_id.to_owned());
        let work = move |transaction: &mut JournalTransaction<'_>| {
            let mut approval = super::decide::read(transaction, &key, &id)?;
            approval.uses = approval.uses.saturating_sub(1);
            if approval.status == ApprovalStatus::Used {
                approval.status = ApprovalStatus::Approved;
            }
            rows::write(transaction.sql(), &key, &approval)
        };
        self.journal.transaction(Durability::Normal, work).await
    }

    /// Records a yes that the owner gave on the spot, asked for and decided in one.
    pub(crate) async fn record_spot_approval(
        &self,
        request: ApprovalRequest,
    ) -> Result<String, ApprovalError> {
        let (key, now) = (Arc::clone(&self.row_key), self.now_ms());
        let id = new_id(now)?;
        let recorded = self.journal.transaction(Durability::Normal, move |transaction: &mut JournalTransaction<'_>| {
            let mut approval = ask(transaction, &key, &request, now, id)?;
            approval.status = ApprovalStatus::Used;
            approval.scope = Some(ApprovalScope::Once);
            approval.decided_by = Some(short_name(&request.principal));
            approval.decided_ms = Some(now);
            approval.uses = 1;
            rows::write(transaction.sql(), &key, &approval)?;
            let details = json!({ "approval": approval.approval_id, "status": approval.status, "scope": "once",
                "payload": approval.payload.to_string(), "binding": approval.binding.to_string(),
                "requested_by": short_name(&approval.principal), "on_the_spot": true });
            let event = NewEvent::new(EventKind::ApprovalDecided, now).actor(short_name(&approval.principal));
            let event = event.skill(&approval.skill_id).subject(&approval.tool_id).details(details);
            transaction.append(event)?;
            Ok::<String, ApprovalError>(approval.approval_id)
        });
        recorded.await
    }
}

fn stand(
    transaction: &mut JournalTransaction<'_>,
    key: &RowKey,
    request: &ApprovalRequest,
    now: u64,
    new_id: String,
) -> Result<Standing, ApprovalError> {
    let open = rows::read_open_of_tool(transaction.sql(), &request.tool_id);
    let open = open.map_err(JournalError::sqlite("read approvals"))?;
    // A row that does not prove itself counts for nothing.
    let open: Vec<Approval> = open.into_iter().filter_map(|row| row.open(key).ok()).collect();
    // A yes that was not used in time is put aside, so that it is not looked at for ever.
    let spent =
        |approval: &&Approval| approval.status == ApprovalStatus::Approved && now >= approval.expires_ms;
    for late in open.iter().filter(spent) {
        rows::write(transaction.sql(), key, &Approval { status: ApprovalStatus::Expired, ..late.clone() })?;
    }
    if let Some(yes) = open.iter().find(|approval| approval.covers(request, now)) {
        let mut used = yes.clone();
        used.uses += 1;
        if used.scope == Some(ApprovalScope::Once) {
            used.status = ApprovalStatus::Used;
        }
        rows::write(transaction.sql(), key, &used)?;
        return Ok(Standing::Approved(used.approval_id));
    }
    let waits =
        |approval: &&Approval| approval.status == ApprovalStatus::Pending && now < approval.expires_ms;
    let same = |approval: &&Approval| {
        approval.binding == request.binding
            && approval.session == request.session
            && approval.parent_run == request.parent_run
    };
    if let Some(waiting) = open.iter().filter(waits).find(same) {
        return Ok(Standing::Waiting(waiting.approval_id.clone()));
    }
    if open.iter().filter(waits).count() >= MAX_WAITING {
        return Ok(Standing::TooMany);
    }
    ask(transaction, key, request, now, new_id).map(|asked| Standing::Waiting(asked.approval_id))
}

/// Writes the request and its leaf together.
fn ask(
    transaction: &mut JournalTransaction<'_>,
    key: &RowKey,
    request: &ApprovalRequest,
    now: u64,
    approval_id: String,
) -> Result<Approval, ApprovalError> {
    let approval = Approval {
        approval_id,
        status: ApprovalStatus::Pending,
        skill_id: request.skill_id.clone(),
        tool_id: request.tool_id.clone(),
        payload: request.payload,
        principal: request.principal.clone(),
        session: request.session.clone(),
        parent_run: request.parent_run.clone(),
        binding: request.binding,
        arguments: shown(&request.arguments),
        requested_ms: now,
        expires_ms: now.saturating_add(REQUEST_LIFETIME_MS),
        scope: None,
        decided_by: None,
        decided_ms: None,
        reason: None,
        asked_because: request.asked_because.clone(),
        uses: 0,
    };
    rows::write(transaction.sql(), key, &approval)?;
    let details = json!({ "approval": approval.approval_id, "payload": approval.payload.to_string(),
        "binding": approval.binding.to_string(), "expires_ms": approval.expires_ms });
    let event = NewEvent::new(EventKind::ApprovalRequested, now).actor(short_name(&approval.principal));
    let event = event.skill(&approval.skill_id).subject(&approval.tool_id).details(details);
    transaction.append(event)?;
    Ok(approval)
}

fn shown(arguments: &str) -> String {
    let mut end = arguments.len().min(MAX_SHOWN_ARGUMENTS);
    while !arguments.is_char_boundary(end) {
        end -= 1;
    }
    palyra_common::redact::escape_untrusted(arguments.get(..end).unwrap_or_default())
}

/// An id that sorts by time.
fn new_id(now: u64) -> Result<String, ApprovalError> {
    let id = crate::text::time_sorted_id("apr", now).map_err(|reason| crate::error::StateError::Record {
        doing: "written",
        key: "approval".into(),
        reason,
    })?;
    Ok(id)
}
