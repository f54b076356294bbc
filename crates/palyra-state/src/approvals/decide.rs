//! Decides an approval: once, before it expires. Only a permitted principal other than the requester can approve; every
//! principal that may decide can deny.
//!
//! The policy is evaluated before the transaction begins. The transaction fails if the state has changed since, and both
//! are repeated.

use std::sync::Arc;

use palyra_common::Principal;
use palyra_common::text::clip_untrusted;
use palyra_journal::{Durability, EventKind, JournalError, JournalTransaction, NewEvent};
use palyra_skills::Sha256Digest;
use serde_json::json;

use super::model::lifetime_ms;
use super::rows::{self, not_found};
use super::{Approval, ApprovalError, ApprovalScope, ApprovalStatus, ApprovalStore};
use crate::db::{RowKey, read_generation};
use crate::error::StateError;
use crate::principal_id::PrincipalId;
use crate::skills::MAX_ATTEMPTS;
use crate::state::State;
use crate::text::short_name;

/// A person's decision about one approval request.
#[derive(Debug, Clone)]
pub struct ApprovalDecision {
    /// Approval with its scope, or denial.
    pub verdict: ApprovalVerdict,
    /// The principal that decides; its scopes and the access policy must permit it.
    pub decider: Arc<Principal>,
    /// Evidence that a person decides, rather than a program with the principal's credentials.
    pub presence: Presence,
    /// Reason given by the decider; stored with at most 500 characters, escaped.
    pub reason: Option<String>,
    /// SHA-256 of the whole arguments the decider has seen; required to approve arguments that lists truncate.
    pub arguments_sha256: Option<Sha256Digest>,
}

/// Outcome of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalVerdict {
    /// Lets the call proceed, within this scope.
    Approve(ApprovalScope),
    /// Rejects the call.
    Deny,
}

/// Where the decider is. A requester can decide its own request only as `Owner` or `McpClient`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Presence {
    /// No evidence that a person decides.
    #[default]
    Unknown,
    /// The owner sits at a terminal or in the console.
    Owner,
    /// A person answers in an MCP client whose token the operator enabled for that.
    McpClient,
}

/// The decision made before the transaction, and the generation of the state it is valid for.
#[derive(Debug, Clone, Copy)]
struct Planned {
    generation: u64,
    /// True if the decider is the requester or in its lineage.
    own: bool,
}

/// Decides a pending request. Of several concurrent decisions one wins; the others fail with `Decided`.
///
/// The policy is evaluated again if the state changes before the decision is committed.
pub async fn decide_approval(
    state: &Arc<State>,
    approval_id: &str,
    decision: ApprovalDecision,
) -> Result<Approval, ApprovalError> {
    let decision = Arc::new(decision);
    let mut attempt = 1;
    loop {
        let (owner, id, given) = (Arc::clone(state), approval_id.to_owned(), Arc::clone(&decision));
        let authorize = move || {
            // A change moves the generation of the rows before its view is published; without waiting, every attempt
            // could fall into that moment.
            if attempt > 1 {
                owner.wait_for_commit();
            }
            owner.approvals().authorize_decision(&id, &given)
        };
        let authorized = tokio::task::spawn_blocking(authorize).await;
        let planned = authorized.map_err(StateError::record("decided", "an approval"))??;
        match state.approvals().apply_decision(approval_id, Arc::clone(&decision), planned).await {
            Err(ApprovalError::State(StateError::Moved { .. })) if attempt < MAX_ATTEMPTS => attempt += 1,
            decided => return decided,
        }
    }
}

impl ApprovalStore<'_> {
    /// Evaluates the policy for a pending request.
    fn authorize_decision(
        &self,
        approval_id: &str,
        decision: &ApprovalDecision,
    ) -> Result<Planned, ApprovalError> {
        let authorizer = self.state.authorizer();
        let approval = self.stored(approval_id)?;
        // For a closed request the transaction reports how it was closed. Denying widens nothing, so no rule
        // forbids it: every holder of the scope can deny, including its own request.
        let open =
            approval.status == ApprovalStatus::Pending && !approval.is_overdue(self.state.expiry_now_ms());
        if open && decision.verdict != ApprovalVerdict::Deny {
            let authorized = authorizer.authorize_approval(&decision.decider, decision.presence, &approval);
            authorized
                .map_err(|decision| ApprovalError::Denied { approval_id: approval.approval_id, decision })?;
        }
        let lineage = |token| self.state.tokens().lineage(token);
        let decider = PrincipalId::from(&*decision.decider).token;
        let own = approval.requester.is_none_or(|asked| lineage(asked.token) == lineage(decider));
        Ok(Planned { generation: authorizer.generation(), own })
    }

    async fn apply_decision(
        &self,
        approval_id: &str,
        decision: Arc<ApprovalDecision>,
        planned: Planned,
    ) -> Result<Approval, ApprovalError> {
        let (id, key, now) =
            (approval_id.to_owned(), Arc::clone(&self.state.row_key), self.state.expiry_now_ms());
        let decided = self.state.journal.transaction(
            Durability::Full,
            move |transaction: &mut JournalTransaction<'_>| {
                expect_generation(transaction, planned.generation)?;
                let mut approval = read(transaction, &key, &id)?;
                if approval.is_overdue(now) {
                    // The expiry is stored, although the late decision fails with an error.
                    expire(transaction, &key, &mut approval, now)?;
                    return Ok(Err(decided_already(&approval)));
                }
                judge(&mut approval, &decision, planned.own, now)?;
                write(transaction, &key, &approval, now)?;
                Ok::<_, ApprovalError>(Ok(approval))
            },
        );
        let decided = decided.await?;
        self.state.decisions.send_modify(|count| *count += 1);
        decided
    }

    /// Closes every pending request and every unused approval that has expired; returns their number.
    pub fn expire(&self) -> Result<usize, ApprovalError> {
        let (key, now) = (Arc::clone(&self.state.row_key), self.state.expiry_now_ms());
        let overdue = self.state.read("read approvals", |connection| rows::read_overdue(connection, now))?;
        if overdue.is_empty() {
            return Ok(0);
        }
        let closed = self.state.journal.transaction(
            Durability::Full,
            move |transaction: &mut JournalTransaction<'_>| {
                let mut closed = 0;
                for id in &overdue {
                    // A row with an invalid MAC must not keep the other rows open.
                    let Ok(mut approval) = read(transaction, &key, id) else { continue };
                    if approval.is_overdue(now) {
                        expire(transaction, &key, &mut approval, now)?;
                        closed += 1;
                    }
                }
                Ok::<usize, ApprovalError>(closed)
            },
        );
        let closed = closed.wait()?;
        // Waiting calls read their approval after every change, which expires again: without this condition, a row with
        // an invalid MAC would wake them forever.
        if closed > 0 {
            self.state.decisions.send_modify(|count| *count += 1);
        }
        Ok(closed)
    }
}

fn judge(
    approval: &mut Approval,
    decision: &ApprovalDecision,
    own: bool,
    now: u64,
) -> Result<(), ApprovalError> {
    if approval.status != ApprovalStatus::Pending {
        return Err(decided_already(approval));
    }
    let approval_id = approval.approval_id.clone();
    match decision.verdict {
        ApprovalVerdict::Approve(scope) => {
            check_decider(approval, decision, own)?;
            check_seen(approval, decision)?;
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
            approval.expires_ms = now.saturating_add(lifetime_ms(scope));
        }
        ApprovalVerdict::Deny => approval.status = ApprovalStatus::Denied,
    }
    approval.decided_by = Some(short_name(&decision.decider.name));
    approval.decided_ms = Some(now);
    approval.reason = decision.reason.as_deref().map(|text| clip_untrusted(text, 500));
    Ok(())
}

/// Rejects a requester that approves its own request without evidence of a person, whatever the policy permits.
fn check_decider(approval: &Approval, decision: &ApprovalDecision, own: bool) -> Result<(), ApprovalError> {
    let decider = PrincipalId::from(&*decision.decider);
    let as_a_person = match decision.presence {
        Presence::Unknown => false,
        Presence::Owner => decider.is_owner(),
        Presence::McpClient => !decider.is_owner(),
    };
    if own && !as_a_person {
        return Err(ApprovalError::OwnRequest { approval_id: approval.approval_id.clone() });
    }
    Ok(())
}

/// Requires the digest of the whole arguments where lists truncate them, so that no unseen arguments are approved.
fn check_seen(approval: &Approval, decision: &ApprovalDecision) -> Result<(), ApprovalError> {
    let approval_id = || approval.approval_id.clone();
    match decision.arguments_sha256 {
        Some(named) if Some(named) != approval.arguments_sha256 => {
            Err(ApprovalError::OtherArguments { approval_id: approval_id() })
        }
        None if approval.arguments_omitted() > 0 => Err(ApprovalError::ArgumentsCut {
            approval_id: approval_id(),
            bytes: approval.arguments_bytes,
            omitted: approval.arguments_omitted(),
        }),
        _ => Ok(()),
    }
}

fn expect_generation(transaction: &JournalTransaction<'_>, planned: u64) -> Result<(), ApprovalError> {
    let found = read_generation(transaction.sql()).map_err(JournalError::sqlite("read the generation"))?;
    let found = found.unwrap_or_default();
    if found == planned { Ok(()) } else { Err(StateError::Moved { planned, found }.into()) }
}

fn decided_already(approval: &Approval) -> ApprovalError {
    ApprovalError::Decided { approval_id: approval.approval_id.clone(), status: approval.status }
}

/// Marks an expired approval as such and commits its leaf.
pub(super) fn expire(
    transaction: &mut JournalTransaction<'_>,
    key: &RowKey,
    approval: &mut Approval,
    now: u64,
) -> Result<(), ApprovalError> {
    let unused = approval.status == ApprovalStatus::Approved;
    approval.status = ApprovalStatus::Expired;
    // An unused approval keeps the time and the principal of its decision.
    if !unused {
        approval.decided_ms = Some(now);
    }
    write(transaction, key, approval, now)
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

/// Writes the row and its leaf in the same transaction.
fn write(
    transaction: &mut JournalTransaction<'_>,
    key: &RowKey,
    approval: &Approval,
    now: u64,
) -> Result<(), ApprovalError> {
    rows::write(transaction.sql(), key, approval)?;
    let expired = approval.status == ApprovalStatus::Expired;
    if expired || approval.status == ApprovalStatus::Denied {
        rows::drop_arguments(transaction.sql(), &approval.approval_id)?;
    }
    let details = json!({
        "approval": approval.approval_id,
        "status": approval.status,
        "scope": approval.scope,
        "payload": approval.payload.to_string(),
        "binding": approval.binding.to_string(),
        "requested_by": short_name(approval.requester.as_ref().map_or(&approval.principal, |asked| &asked.name)),
        "arguments_sha256": approval.arguments_sha256.map(|digest| digest.to_string()),
        "expires_ms": approval.expires_ms,
        "reason": approval.reason,
    });
    let actor = approval.decided_by.clone().filter(|_| !expired).unwrap_or_else(|| "time".to_owned());
    let event = NewEvent::new(EventKind::ApprovalDecided, now).actor(actor);
    let event = event.skill(&approval.skill_id).subject(&approval.tool_id).details(details);
    transaction.append(event)?;
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use palyra_common::{InformationLabels, Transport};
    use palyra_vault::KeySourceChoice;

    use super::*;
    use crate::approvals::{ApprovalAnswer, ApprovalRequest};
    use crate::db::write_generation;
    use crate::root::StateRoot;
    use crate::state::StateOptions;

    /// A request for one tool of `acme.notes`.
    fn request(tool: &str) -> ApprovalRequest {
        ApprovalRequest {
            skill_id: "acme.notes".into(),
            tool_id: format!("acme.notes.{tool}"),
            payload: Sha256Digest::of(b"release"),
            principal: "owner".into(),
            requester: PrincipalId::default(),
            session: None,
            parent_run: None,
            circumstances: Sha256Digest::of(b"circumstances"),
            arguments: "{}".into(),
            arguments_sha256: Sha256Digest::of(b"{}"),
            grants: Vec::new(),
            asked_because: None,
            labels: InformationLabels::default(),
        }
    }

    #[tokio::test]
    async fn a_decision_authorized_in_another_generation_is_not_applied() {
        let directory = tempfile::tempdir().unwrap();
        let options = StateOptions { key_source: KeySourceChoice::File, ..StateOptions::default() };
        let state = StateRoot::new(directory.path().join("root")).init(&options).unwrap();
        let decision = Arc::new(ApprovalDecision {
            verdict: ApprovalVerdict::Deny,
            decider: Arc::new(Principal::owner(Transport::Command)),
            presence: Presence::Owner,
            reason: None,
            arguments_sha256: None,
        });
        let now = state.view().generation();
        let planned = |generation| Planned { generation, own: false };
        let moved = state
            .approvals()
            .apply_decision("apr_1", Arc::clone(&decision), planned(now + 1))
            .await
            .unwrap_err();
        assert!(
            matches!(moved, ApprovalError::State(StateError::Moved { planned, found })
                if (planned, found) == (now + 1, now)),
            "{moved}"
        );
        let current = state.approvals().apply_decision("apr_1", decision, planned(now)).await.unwrap_err();
        assert!(matches!(current, ApprovalError::NotFound { .. }), "{current}");
    }

    #[tokio::test]
    async fn overdue_row_with_an_invalid_mac_wakes_no_waiting_call() {
        let directory = tempfile::tempdir().unwrap();
        let options = StateOptions { key_source: KeySourceChoice::File, ..StateOptions::default() };
        let state = StateRoot::new(directory.path().join("root")).init(&options).unwrap();
        for name in ["first", "second"] {
            let asked = state.approvals().ask(request(name)).await.unwrap();
            assert!(matches!(asked, ApprovalAnswer::Waiting(_)));
        }
        let edit = |sql: &'static str| {
            let work = move |transaction: &mut JournalTransaction<'_>| {
                let edited = transaction.sql().execute(sql, []);
                edited.map(drop).map_err(JournalError::sqlite("edit the rows"))
            };
            state.journal.transaction(Durability::Normal, work)
        };
        edit("UPDATE approvals SET expires_at = 0, mac = zeroblob(32) WHERE tool_id = 'acme.notes.first'")
            .await
            .unwrap();
        let changes = state.approvals().changes();
        assert_eq!(state.approvals().expire().unwrap(), 0);
        assert!(!changes.has_changed().unwrap());
        // The expiry of the sealed row counts; the column is only used to find rows.
        edit("UPDATE approvals SET expires_at = 0").await.unwrap();
        assert_eq!(state.approvals().expire().unwrap(), 0);
        assert!(!changes.has_changed().unwrap());
    }

    /// A commit moves the generation of the rows before it publishes its view. Without waiting for it, every attempt
    /// would be authorized against the old view.
    #[tokio::test]
    async fn decision_during_a_commit_waits_for_its_view_instead_of_failing_as_busy() {
        let directory = tempfile::tempdir().unwrap();
        let options = StateOptions { key_source: KeySourceChoice::File, ..StateOptions::default() };
        let state = Arc::new(StateRoot::new(directory.path().join("root")).init(&options).unwrap());
        let ApprovalAnswer::Waiting(id) = state.approvals().ask(request("add")).await.unwrap() else {
            panic!()
        };
        let now = state.view().generation();
        let set_generation = async |generation| {
            let work = move |transaction: &mut JournalTransaction<'_>| {
                let written = write_generation(transaction.sql(), generation);
                written.map_err(JournalError::sqlite("write the generation"))
            };
            state.journal.transaction(Durability::Normal, work).await.unwrap();
        };
        // The middle of a commit: its rows are written, its view is not published.
        let (held, is_held) = std::sync::mpsc::channel();
        let (release, is_released) = std::sync::mpsc::channel::<()>();
        let committing = Arc::clone(&state);
        let commit = std::thread::spawn(move || {
            let gate = committing.gate();
            held.send(()).unwrap();
            is_released.recv().unwrap();
            drop(gate);
        });
        is_held.recv().unwrap();
        set_generation(now + 1).await;
        let decision = ApprovalDecision {
            verdict: ApprovalVerdict::Deny,
            decider: Arc::new(Principal::owner(Transport::Command)),
            presence: Presence::Owner,
            reason: None,
            arguments_sha256: None,
        };
        let deciding = decide_approval(&state, &id, decision);
        tokio::pin!(deciding);
        let early = tokio::time::timeout(std::time::Duration::from_millis(300), &mut deciding).await;
        assert!(early.is_err(), "{early:?}");
        set_generation(now).await;
        release.send(()).unwrap();
        assert_eq!(deciding.await.unwrap().status, ApprovalStatus::Denied);
        commit.join().unwrap();
    }
}
