//! Deciding: once, by somebody the policy lets decide, before time runs out.

use std::sync::Arc;

use palyra_journal::{Durability, EventKind, JournalError, JournalTransaction, NewEvent};
use serde_json::json;

use super::rows::{self, not_found};
use super::{Approval, ApprovalError, ApprovalScope, ApprovalStatus};
use crate::db::RowKey;
use crate::gate::ApprovalGate;
use crate::state::State;
use crate::text::short_name;

/// A decision as a person gives it.
#[derive(Debug, Clone)]
pub struct ApprovalDecision {
    /// Yes, and how far, or no.
    pub verdict: ApprovalVerdict,
    /// Who decides.
    pub principal: String,
    /// Whether a policy lets it decide, asked about what waits.
    pub gate: ApprovalGate,
    /// What there is to say about it.
    pub reason: Option<String>,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalVerdict {
    /// Yes, this far.
    Approve(ApprovalScope),
    /// No.
    Deny,
}

impl State {
    /// Decides a request; of several who try, one wins.
    pub async fn decide_approval(
        &self,
        approval_id: &str,
        decision: ApprovalDecision,
    ) -> Result<Approval, ApprovalError> {
        let (id, key, now) = (approval_id.to_owned(), Arc::clone(&self.row_key), self.now_ms());
        let decided =
            self.journal.transaction(Durability::Full, move |transaction: &mut JournalTransaction<'_>| {
                let mut approval = read(transaction, &key, &id)?;
                match judge(&mut approval, &decision, now) {
                    Ok(()) => {}
                    // That time ran out is kept, although whoever came late hears of it as an error.
                    Err(late) if approval.status == ApprovalStatus::Expired => {
                        write(transaction, &key, &approval, now)?;
                        return Ok(Err(late));
                    }
                    Err(error) => return Err(error),
                }
                write(transaction, &key, &approval, now)?;
                Ok(Ok(approval))
            });
        let decided = decided.await?;
        self.decisions.send_modify(|count| *count += 1);
        decided
    }

    /// Closes every request whose time ran out; says how many.
    pub fn expire_approvals(&self) -> Result<usize, ApprovalError> {
        let (key, now) = (Arc::clone(&self.row_key), self.now_ms());
        let overdue = self.journal.read(|connection| {
            rows::read_pending(connection).map_err(JournalError::sqlite("read approvals"))
        })?;
        let overdue: Vec<String> = overdue
            .into_iter()
            .filter_map(|row| row.open(&key).ok())
            .filter(|approval| approval.is_overdue(now))
            .map(|approval| approval.approval_id)
            .collect();
        if overdue.is_empty() {
            return Ok(0);
        }
        let closed =
            self.journal.transaction(Durability::Full, move |transaction: &mut JournalTransaction<'_>| {
                let mut closed = 0;
                for id in &overdue {
                    let mut approval = read(transaction, &key, id)?;
                    if approval.is_overdue(now) {
                        expire(&mut approval, now);
                        write(transaction, &key, &approval, now)?;
                        closed += 1;
                    }
                }
                Ok::<usize, ApprovalError>(closed)
            });
        let closed = closed.wait()?;
        self.decisions.send_modify(|count| *count += 1);
        Ok(closed)
    }
}

fn judge(approval: &mut Approval, decision: &ApprovalDecision, now: u64) -> Result<(), ApprovalError> {
    let approval_id = approval.approval_id.clone();
    if approval.is_overdue(now) {
        expire(approval, now);
        return Err(ApprovalError::Decided { approval_id, status: ApprovalStatus::Expired });
    }
    if approval.status != ApprovalStatus::Pending {
        return Err(ApprovalError::Decided { approval_id, status: approval.status });
    }
    if let Err(decision) = decision.gate.ask(approval) {
        return Err(ApprovalError::Denied { approval_id, decision });
    }
    match decision.verdict {
        ApprovalVerdict::Approve(scope) => {
            let reaches = match scope {
                ApprovalScope::Run => approval.parent_run.is_some(),
                ApprovalScope::Session => approval.session.is_some(),
                ApprovalScope::Once | ApprovalScope::Arguments => true,
            };
            if !reaches {
                return Err(ApprovalError::NoSuchScope { approval_id, scope });
            }
            approval.status = ApprovalStatus::Approved;
            approval.scope = Some(scope);
            approval.expires_ms = now.saturating_add(scope.lifetime_ms());
        }
        ApprovalVerdict::Deny => approval.status = ApprovalStatus::Denied,
    }
    approval.decided_by = Some(short_name(&decision.principal));
    approval.decided_ms = Some(now);
    approval.reason = decision
        .reason
        .as_deref()
        .map(|text| palyra_common::redact::escape_untrusted(&text.chars().take(500).collect::<String>()));
    Ok(())
}

fn expire(approval: &mut Approval, now: u64) {
    approval.status = ApprovalStatus::Expired;
    approval.decided_ms = Some(now);
}

pub(super) fn read(
    transaction: &JournalTransaction<'_>,
    key: &RowKey,
    approval_id: &str,
) -> Result<Approval, ApprovalError> {
    let row = rows::read_sealed(transaction.sql(), approval_id);
    let row = row.map_err(JournalError::sqlite("read an approval"))?;
    row.ok_or_else(|| not_found(approval_id))?.open(key)
}

/// Writes the row and its leaf together.
fn write(
    transaction: &mut JournalTransaction<'_>,
    key: &RowKey,
    approval: &Approval,
    now: u64,
) -> Result<(), ApprovalError> {
    rows::write(transaction.sql(), key, approval)?;
    let details = json!({
        "approval": approval.approval_id,
        "status": approval.status,
        "scope": approval.scope,
        "payload": approval.payload.to_string(),
        "binding": approval.binding.to_string(),
        "requested_by": short_name(&approval.principal),
        "expires_ms": approval.expires_ms,
        "reason": approval.reason,
    });
    let actor = approval.decided_by.clone().unwrap_or_else(|| "time".to_owned());
    let event = NewEvent::new(EventKind::ApprovalDecided, now).actor(actor);
    let event = event.skill(&approval.skill_id).subject(&approval.tool_id).details(details);
    transaction.append(event)?;
    Ok(())
}
