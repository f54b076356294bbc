//! Tools that ask for a person's yes get it for exactly these arguments.

use std::sync::Arc;
use std::time::Duration;

use palyra_common::{InOrder, JsonText, WasmPluginRunError};
use palyra_skills::Sha256Digest;
use sha2::{Digest, Sha256};

use super::before_tool::asked_because;
use super::resolve::blocking;
use super::wasm_plugin_runner::Calling;
use super::{CallError, ToolCaller};
use crate::approvals::{ApprovalError, ApprovalRequest, ApprovalStatus, REQUEST_LIFETIME_MS, Standing};

/// What a person approves: this release, this tool, this input, for this principal.
pub fn approval_digest(
    payload: &Sha256Digest,
    tool_id: &str,
    principal: &str,
    input: &JsonText,
) -> Sha256Digest {
    let mut hash = Sha256::new_with_prefix(b"palyra.approval/v1\0");
    hash.update(payload.as_bytes());
    let canonical = canonical_arguments(input);
    for part in [tool_id, principal, canonical.as_str()] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    Sha256Digest::from_bytes(hash.finalize().into())
}

/// One spelling for equal arguments: keys in order, no space.
pub fn canonical_arguments(input: &JsonText) -> String {
    match serde_json::from_str::<serde_json::Value>(input.as_str()) {
        Ok(value) => InOrder(&value).to_string(),
        Err(_) => input.as_str().to_owned(),
    }
}

/// What a run was approved by.
pub(super) type Approved = Option<String>;

/// A tool that asks for it runs only with a person's yes that reaches this call; each call uses one.
pub(super) async fn check(
    caller: &ToolCaller,
    calling: &Calling,
    requires_approval: bool,
) -> Result<Approved, CallError> {
    if !requires_approval {
        return Ok(None);
    }
    let request = request(calling);
    if calling.approved == Some(request.binding) {
        return Ok(Some(caller.state.record_spot_approval(request).await.map_err(outward)?));
    }
    match calling.context.wait_for_approval {
        None => ask(caller, request).await.map(Some),
        Some(most) => wait(caller, calling, request, most).await.map(Some),
    }
}

/// Gives a yes back that a call could not use after all.
pub(super) async fn give_back(caller: &ToolCaller, approval_id: &str) {
    // A yes that cannot be given back is lost, which refuses a call and allows none.
    let _ = caller.state.give_back_approval(approval_id).await;
}

async fn ask(caller: &ToolCaller, request: ApprovalRequest) -> Result<String, CallError> {
    match caller.state.ask_approval(request).await.map_err(outward)? {
        Standing::Approved(approval_id) => Ok(approval_id),
        Standing::Waiting(approval_id) => Err(WasmPluginRunError::ApprovalRequired { approval_id }.into()),
        Standing::TooMany => Err(WasmPluginRunError::Busy { reason: "approvals" }.into()),
    }
}

/// Asks, and asks again after every decision, until there is a yes, a no, or no more time.
async fn wait(
    caller: &ToolCaller,
    calling: &Calling,
    request: ApprovalRequest,
    most: Duration,
) -> Result<String, CallError> {
    let deadline = tokio::time::Instant::now() + most.min(Duration::from_millis(REQUEST_LIFETIME_MS));
    let mut decisions = caller.state.decisions.subscribe();
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
                return Err(WasmPluginRunError::ApprovalRequired { approval_id: id }.into());
            }
        }
    }
}

/// A yes, or the id of the request that waits; a request that was answered with no is not asked again.
async fn ask_or_wait(
    caller: &ToolCaller,
    request: &ApprovalRequest,
    waited_for: &mut Option<String>,
) -> Result<Result<String, String>, CallError> {
    if let Some(approval_id) = waited_for.clone() {
        let (state, id) = (Arc::clone(&caller.state), approval_id.clone());
        let approval = blocking(move || state.approval(&id).map_err(outward)).await?;
        match approval.status {
            ApprovalStatus::Pending => return Ok(Err(approval_id)),
            ApprovalStatus::Denied | ApprovalStatus::Expired => {
                return Err(WasmPluginRunError::ApprovalRequired { approval_id }.into());
            }
            ApprovalStatus::Approved | ApprovalStatus::Used => {}
        }
    }
    match ask(caller, request.clone()).await {
        Ok(approval_id) => Ok(Ok(approval_id)),
        Err(CallError::Run(WasmPluginRunError::ApprovalRequired { approval_id })) => {
            *waited_for = Some(approval_id.clone());
            Ok(Err(approval_id))
        }
        Err(error) => Err(error),
    }
}

fn request(calling: &Calling) -> ApprovalRequest {
    let Calling { subject, principal, input, context, gates, .. } = calling;
    ApprovalRequest {
        asked_because: asked_because(gates),
        skill_id: subject.skill_id.clone(),
        tool_id: subject.tool_id.clone(),
        payload: subject.payload,
        principal: principal.clone(),
        session: context.session.clone(),
        parent_run: context.parent_run.clone(),
        binding: approval_digest(&subject.payload, &subject.tool_id, principal, input),
        arguments: canonical_arguments(input),
    }
}

fn outward(error: ApprovalError) -> CallError {
    match error {
        ApprovalError::State(error) => CallError::State(error),
        other => WasmPluginRunError::Internal(other.to_string()).into(),
    }
}
