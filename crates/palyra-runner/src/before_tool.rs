//! Gates: hooks that are asked before a tool runs. They can only narrow, and one that gives no answer says no.

use std::pin::Pin;
use std::sync::Arc;

use palyra_common::{ErrorCode, JsonText, WasmPluginRunError};
use palyra_plugins_runtime::{CancelToken, HookDecision};
use palyra_state::hooks::{BeforeTool, HookBindingRecord, HookEventKind, before_tool_payload};
use serde::Serialize;

use super::hook::HookInvocation;
use super::wasm_plugin_runner::{Calling, ResolvedPlugin};
use super::{CallError, HookAnswer, ToolCaller};

/// A call that a gate did not let begin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateRefusal {
    /// The binding.
    pub binding: String,
    /// The skill of the gate.
    pub plugin: String,
    /// The skill of the tool.
    pub skill_id: String,
    /// The tool.
    pub tool_id: String,
    /// Reason.
    pub reason: GateReason,
}

/// Why a gate blocked a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateReason {
    /// It said so.
    Blocked {
        /// In its own words, escaped.
        reason: String,
    },
    /// It gave no answer, which is a no.
    Failed {
        /// The kind of its error.
        code: ErrorCode,
        /// The error.
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

/// What a gate said of a call that begins; the receipt tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct GateNote {
    binding: String,
    run: String,
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// Which gates want a person, and why.
pub(super) fn asked_because(notes: &[GateNote]) -> Option<String> {
    let asking = notes.iter().filter(|note| note.decision == "request_approval");
    let message: Vec<String> = asking
        .map(|note| format!("gate `{}`: {}", note.binding, note.text.as_deref().unwrap_or_default()))
        .collect();
    (!message.is_empty()).then(|| message.join("; ").chars().take(1_000).collect())
}

/// Asks every gate of the call, in their order, until one says no.
pub(super) async fn pass_gates(
    caller: &ToolCaller,
    calling: &mut Calling,
    resolved: &mut ResolvedPlugin,
) -> Result<(), CallError> {
    // The run of a hook publishes nothing that can reach a hook.
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

/// Runs one gate; it ends with its caller, and its own end does not end the call it is asked about.
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

/// Boxed because the call pipeline contains itself here.
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
