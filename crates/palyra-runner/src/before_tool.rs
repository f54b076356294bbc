//! Gates: hooks that run before a tool and can deny it. They only restrict, and a gate that fails denies the call.

use std::pin::Pin;
use std::sync::Arc;

use palyra_common::{ErrorCode, JsonText, WasmPluginRunError};
use palyra_plugins_runtime::{CancelToken, HookDecision};
use palyra_state::hooks::{BeforeTool, HookBindingRecord, HookEventKind, before_tool_payload};
use serde::Serialize;

use super::hook::HookInvocation;
use super::wasm_plugin_runner::{Calling, ResolvedPlugin};
use super::{CallError, HookAnswer, ToolCaller};

/// A call that a gate denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateRefusal {
    /// Id of the binding of the gate.
    pub binding: String,
    /// Skill that provides the gate.
    pub plugin: String,
    /// Skill of the tool.
    pub skill_id: String,
    /// Full id of the tool.
    pub tool_id: String,
    /// Decision or failure of the gate.
    pub reason: GateReason,
}

/// Why a gate denied a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateReason {
    /// The gate decided to block the call.
    Blocked {
        /// Reason given by the gate, escaped.
        reason: String,
    },
    /// The gate failed, which denies the call.
    Failed {
        /// Code of the error.
        code: ErrorCode,
        /// Message of the error.
        message: String,
    },
}

impl std::fmt::Display for GateRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { binding, tool_id, .. } = self;
        match &self.reason {
            GateReason::Blocked { reason } => write!(f, "the gate `{binding}` blocks `{tool_id}`: {reason}"),
            GateReason::Failed { message, .. } => {
                write!(f, "the gate `{binding}` failed, so `{tool_id}` does not run: {message}")
            }
        }
    }
}

/// The decision of a gate about a call that starts, for its receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct GateNote {
    binding: String,
    run: String,
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// Returns the gates that require approval, with their reasons.
pub(super) fn asked_because(notes: &[GateNote]) -> Option<String> {
    let asking = notes.iter().filter(|note| note.decision == "request_approval");
    let message: Vec<String> = asking
        .map(|note| format!("gate `{}`: {}", note.binding, note.text.as_deref().unwrap_or_default()))
        .collect();
    (!message.is_empty()).then(|| message.join("; ").chars().take(1_000).collect())
}

/// Runs every gate of the call in order until one denies it.
pub(super) async fn pass_gates(
    caller: &ToolCaller,
    calling: &mut Calling,
    resolved: &mut ResolvedPlugin,
) -> Result<(), CallError> {
    // A hook must not trigger hooks, which could loop.
    if calling.hook.is_some() {
        return Ok(());
    }
    let hooks = caller.state.view().hooks().clone();
    let gates = hooks.hooks_for_event(HookEventKind::RunBeforeTool);
    if gates.is_empty() {
        return Ok(());
    }
    let (skill_id, tool_id) = (calling.subject.skill_id.clone(), calling.subject.tool_id.clone());
    let mut payload = None;
    for binding in gates.iter().filter(|gate| gate.wants(Some(&skill_id), Some(&tool_id))) {
        let message = match &payload {
            Some(payload) => JsonText::clone(payload),
            None => match message(caller, calling) {
                Ok(message) => payload.insert(message).clone(),
                Err(error) => return Err(failed(binding, calling, &error.into())),
            },
        };
        let answer = match ask(caller, calling, binding, message).await {
            Ok(answer) => answer,
            Err(_) if calling.cancel.is_cancelled() => return Err(WasmPluginRunError::Cancelled.into()),
            Err(error) => return Err(failed(binding, calling, &error)),
        };
        let (decision, text) = match answer.decision {
            HookDecision::Continue => ("continue", None),
            HookDecision::Annotate(text) => ("annotate", Some(text)),
            HookDecision::RequestApproval(reason) => {
                resolved.requires_approval = true;
                ("request_approval", Some(reason))
            }
            HookDecision::Block(reason) => {
                return Err(refusal(binding, calling, GateReason::Blocked { reason }));
            }
        };
        calling.gates.push(GateNote { binding: binding.id.clone(), run: answer.run_id, decision, text });
    }
    Ok(())
}

/// Runs one gate. It is cancelled with the call, but its own cancellation does not cancel the call.
async fn ask(
    caller: &ToolCaller,
    calling: &Calling,
    binding: &Arc<HookBindingRecord>,
    payload: JsonText,
) -> Result<HookAnswer, CallError> {
    let cancel = CancelToken::default();
    let invocation = HookInvocation {
        binding: Arc::clone(binding),
        payload,
        sequence: None,
        delivers: false,
        cancel: Some(cancel.clone()),
    };
    let mut running = run_hook(caller, invocation);
    tokio::select! {
        answer = &mut running => answer,
        () = calling.cancel.cancelled() => {
            cancel.cancel();
            running.await
        }
    }
}

/// Boxed because the call pipeline is recursive here.
fn run_hook<'c>(
    caller: &'c ToolCaller,
    invocation: HookInvocation,
) -> Pin<Box<dyn Future<Output = Result<HookAnswer, CallError>> + Send + 'c>> {
    Box::pin(caller.run_hook(invocation))
}

fn message(caller: &ToolCaller, calling: &Calling) -> Result<JsonText, WasmPluginRunError> {
    let subject = &calling.subject;
    before_tool_payload(&BeforeTool {
        at_ms: caller.state.now_ms(),
        principal: &calling.principal.actor(),
        session: calling.context.session.as_deref(),
        skill_id: &subject.skill_id,
        tool_id: &subject.tool_id,
        version: subject.version.as_deref(),
        payload: &subject.payload_text,
        input: &calling.input,
    })
}

fn failed(binding: &HookBindingRecord, calling: &Calling, error: &CallError) -> CallError {
    let message: String = error.to_string().chars().take(500).collect();
    refusal(binding, calling, GateReason::Failed { code: error.code(), message })
}

fn refusal(binding: &HookBindingRecord, calling: &Calling, reason: GateReason) -> CallError {
    CallError::Gated(Box::new(GateRefusal {
        binding: binding.id.clone(),
        plugin: binding.plugin.clone(),
        skill_id: calling.subject.skill_id.clone(),
        tool_id: calling.subject.tool_id.clone(),
        reason,
    }))
}
