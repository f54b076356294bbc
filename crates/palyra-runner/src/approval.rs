//! Approval stage: a tool that requires approval runs only with an approval of exactly these arguments in these
//! circumstances.

use std::sync::Arc;
use std::time::Duration;

use palyra_common::redact::escape_untrusted;
use palyra_common::{JsonText, LimitKind, WasmPluginRunError, canonical_text};
use palyra_skills::Sha256Digest;
use palyra_state::runs::RunSubject;
use palyra_state::{
    ApprovalAnswer, ApprovalError, ApprovalRequest, ApprovalStatus, MAX_WAITING, MAX_WAITING_BYTES,
    REQUEST_LIFETIME_MS, View,
};
use sha2::{Digest, Sha256};

use super::before_tool::asked_because;
use super::resolve::blocking;
use super::wasm_plugin_runner::{Calling, ResolvedPlugin};
use super::{CallError, ToolCaller};

/// Maximum input in bytes that is canonicalized on an async worker.
const MAX_INLINE_INPUT: usize = 64 << 10;

/// Id of the approval that a run used; `None` if none was required.
pub(super) type Approved = Option<String>;

/// Waits for or uses an approval that covers this call, if the tool requires one. Each call uses one approval.
pub(super) async fn check(
    caller: &ToolCaller,
    calling: &Calling,
    resolved: &ResolvedPlugin,
    resolved_in: &View,
) -> Result<Approved, CallError> {
    if !resolved.requires_approval {
        return Ok(None);
    }
    let (used, allowed) = (calling.input.as_str().len() as u64, resolved.limits.max_input_bytes);
    if used > allowed {
        return Err(WasmPluginRunError::QuotaExceeded { limit: LimitKind::Input, allowed, used }.into());
    }
    let request = request(calling, resolved, resolved_in).await?;
    match calling.context.wait_for_approval {
        None => ask(caller, &request).await.map(Some),
        Some(most) => wait(caller, calling, request, most).await.map(Some),
    }
}

/// Reverts the use of an approval for a call that did not start.
pub(super) async fn give_back(caller: &ToolCaller, approval_id: &str) {
    // If this fails, the approval stays used, which denies a later call and permits none.
    let _ = caller.state.approvals().give_back(approval_id).await;
}

async fn ask(caller: &ToolCaller, request: &ApprovalRequest) -> Result<String, CallError> {
    match caller.state.approvals().ask(request.clone()).await.map_err(outward)? {
        ApprovalAnswer::Approved(approval_id) => Ok(approval_id),
        ApprovalAnswer::Waiting(approval_id) => Err(required(request, approval_id)),
        ApprovalAnswer::TooMany => {
            Err(WasmPluginRunError::TooManyWaiting { limit: "waiting_approvals", allowed: MAX_WAITING }
                .into())
        }
        ApprovalAnswer::TooLarge => {
            let limit = "waiting_approval_bytes";
            Err(WasmPluginRunError::TooManyWaiting { limit, allowed: MAX_WAITING_BYTES }.into())
        }
    }
}

/// Returns the error of a call that waits for approval, with the tool and the reason.
fn required(request: &ApprovalRequest, approval_id: String) -> CallError {
    let because = request.asked_because.clone();
    let because = because.unwrap_or_else(|| "its manifest requires approval for each call".to_owned());
    WasmPluginRunError::ApprovalRequired { approval_id, tool: request.tool_id.clone(), because }.into()
}

/// Requests approval, and again after every decision, until it is approved, denied or the time is over.
async fn wait(
    caller: &ToolCaller,
    calling: &Calling,
    request: ApprovalRequest,
    most: Duration,
) -> Result<String, CallError> {
    let deadline = tokio::time::Instant::now() + most.min(Duration::from_millis(REQUEST_LIFETIME_MS));
    let mut decisions = caller.state.approvals().changes();
    let mut waited_for = None;
    loop {
        let id = match ask_or_wait(caller, &request, &mut waited_for).await? {
            Ok(approval_id) => return Ok(approval_id),
            Err(approval_id) => approval_id,
        };
        if let Some(listener) = &calling.listener {
            listener.wait_for(&id);
        }
        tokio::select! {
            changed = decisions.changed() => {
                changed.map_err(|error| WasmPluginRunError::Internal(error.to_string()))?;
            }
            () = calling.cancel.cancelled() => return Err(WasmPluginRunError::Cancelled.into()),
            () = tokio::time::sleep_until(deadline) => {
                return Err(required(&request, id));
            }
        }
    }
}

/// Returns an approval, or the id of the pending request. A request that was denied or expired is not repeated.
async fn ask_or_wait(
    caller: &ToolCaller,
    request: &ApprovalRequest,
    waited_for: &mut Option<String>,
) -> Result<Result<String, String>, CallError> {
    if let Some(approval_id) = waited_for.clone() {
        let (state, id) = (Arc::clone(&caller.state), approval_id.clone());
        let approval = blocking(move || state.approvals().get(&id).map_err(outward)).await?;
        match approval.status {
            ApprovalStatus::Pending => return Ok(Err(approval_id)),
            ApprovalStatus::Denied | ApprovalStatus::Expired => {
                return Err(required(request, approval_id));
            }
            ApprovalStatus::Approved | ApprovalStatus::Used => {}
        }
    }
    match ask(caller, request).await {
        Ok(approval_id) => Ok(Ok(approval_id)),
        Err(CallError::Run(WasmPluginRunError::ApprovalRequired { approval_id, .. })) => {
            *waited_for = Some(approval_id.clone());
            Ok(Err(approval_id))
        }
        Err(error) => Err(error),
    }
}

async fn request(
    calling: &Calling,
    resolved: &ResolvedPlugin,
    resolved_in: &View,
) -> Result<ApprovalRequest, CallError> {
    let Calling { subject, principal, input, context, gates, grants, .. } = calling;
    let (arguments, arguments_sha256) = if input.as_str().len() <= MAX_INLINE_INPUT {
        canonical(input)
    } else {
        let input = input.clone();
        blocking(move || Ok::<_, CallError>(canonical(&input))).await?
    };
    Ok(ApprovalRequest {
        asked_because: because(asked_because(gates), resolved.approval_because.clone()),
        labels: context.labels,
        skill_id: subject.skill_id.clone(),
        tool_id: subject.tool_id.clone(),
        payload: subject.payload,
        principal: principal.actor().into_owned(),
        requester: principal.requester().into(),
        session: context.session.clone(),
        parent_run: context.parent_run.clone(),
        circumstances: circumstances(resolved_in, subject, grants, resolved.approval_because.as_deref()),
        arguments,
        arguments_sha256,
        grants: grants.iter().map(|grant| escape_untrusted(grant)).collect(),
    })
}

/// Combines the reasons of rules and gates into one text.
fn because(gates: Option<String>, rules: Option<String>) -> Option<String> {
    match (gates, rules) {
        (Some(gates), Some(rules)) => Some(format!("{rules}; {gates}")),
        (gates, rules) => gates.or(rules),
    }
}

fn canonical(input: &JsonText) -> (Arc<str>, Sha256Digest) {
    let arguments = canonical_text(input);
    let digest = Sha256Digest::of(arguments.as_bytes());
    (arguments.into(), digest)
}

/// Returns the digest of everything a call depends on besides its release and arguments: the settings that
/// `check_unchanged` compares after a wait, and the grants of the operator for this call. A revision identifies one
/// value of a setting.
fn circumstances(
    view: &View,
    subject: &RunSubject,
    grants: &[String],
    approval_because: Option<&str>,
) -> Sha256Digest {
    let (skill_id, plugins) = (&subject.skill_id, view.plugins());
    let revisions = [
        plugins.policy.revision,
        plugins.access.revision,
        plugins.hooks.revision(),
        plugins.profiles.get(skill_id).map_or(0, |profile| profile.revision),
        plugins.configs.get(skill_id).map_or(0, |config| config.revision),
    ];
    let mut hash = Sha256::new_with_prefix(b"palyra.approval.circumstances/v1\0");
    revisions.iter().for_each(|revision| hash.update(revision.to_be_bytes()));
    let consent = subject.consent.as_deref().unwrap_or_default();
    // An approval given before this reason existed does not cover a call with the reason.
    for text in std::iter::once(consent).chain(grants.iter().map(String::as_str)).chain(approval_because) {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text);
    }
    Sha256Digest::from_bytes(hash.finalize().into())
}

fn outward(error: ApprovalError) -> CallError {
    match error {
        ApprovalError::State(error) => CallError::State(error),
        other => WasmPluginRunError::Internal(other.to_string()).into(),
    }
}
