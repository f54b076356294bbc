//! The receipt: one leaf for each run, with digests of what went in and out, what it cost and which doors it used.

use std::sync::Arc;

use palyra_common::{CapabilityGrantSet, JsonText, WasmPluginRunError};
use palyra_journal::{Durability, EventKind, JournalError, JournalTransaction, Leaf, NewEvent};
use palyra_plugins_runtime::{ChannelMessage, RunReport};
use palyra_skills::Sha256Digest;
use serde_json::{Value, json};

use super::find::FoundTool;
use super::runs::{self, FinishedRun};
use super::schemas::ToolSchemas;
use super::{CallError, CapabilityUse, ToolInvocation, ToolResult, usage};
use crate::error::StateError;
use crate::state::State;

/// Checks the output, writes the receipt, and gives the result once the receipt is committed.
#[allow(clippy::too_many_arguments, reason = "everything a receipt is made of")]
pub(super) async fn finish(
    state: &Arc<State>,
    invocation: &ToolInvocation,
    tool: &FoundTool,
    schemas: &ToolSchemas,
    grants: &CapabilityGrantSet,
    run_id: &str,
    report: RunReport,
    channels: Vec<ChannelMessage>,
) -> Result<ToolResult, CallError> {
    let RunReport { result, usage, log, host_calls, tape, .. } = report;
    let output = result.and_then(|output| match output.json() {
        Some(text) => schemas.check_output(text).map(|()| text.clone()),
        None => Err(WasmPluginRunError::Internal("a tool returned a hook's decision".into())),
    });
    let capabilities = usage::count(grants, &host_calls);
    let details = details(invocation, tool, &output, &usage, &capabilities);
    let kind = if output.is_ok() { EventKind::RunCompleted } else { EventKind::RunFailed };
    let event = NewEvent::new(kind, state.now_ms()).actor(short(&invocation.principal));
    let event = event.run(run_id).skill(&tool.skill_id).subject(&tool.entrypoint.id).details(details.clone());
    let finished = FinishedRun {
        run_id: run_id.to_owned(),
        skill_id: tool.skill_id.clone(),
        status: if output.is_ok() { "completed" } else { "failed" },
        at_ms: runs::signed(state.now_ms()),
        receipt: details.to_string(),
        events: runs::lines(&log, &channels),
        uses: capabilities.clone(),
    };
    let receipt = write(state, event, finished).await?;
    if state.wants_head_kept() {
        let state = Arc::clone(state);
        super::resolve::blocking(move || state.keep_head()).await?;
    }
    Ok(ToolResult {
        run_id: run_id.to_owned(),
        skill_id: tool.skill_id.clone(),
        tool_id: tool.entrypoint.id.clone(),
        payload: tool.release.payload,
        output: output?,
        usage,
        capabilities,
        log,
        receipt,
        tape,
    })
}

/// Tells the journal of a call that was refused before it began.
pub(super) async fn refuse(
    state: &Arc<State>,
    invocation: &ToolInvocation,
    tool: &FoundTool,
    error: &WasmPluginRunError,
) -> Result<(), CallError> {
    let details = json!({
        "payload": tool.release.payload.to_string(),
        "error": error.kind().wire_name(),
        "input_sha256": Sha256Digest::of(invocation.input.as_str().as_bytes()).to_string(),
    });
    let event = NewEvent::new(EventKind::RunRefused, state.now_ms()).actor(short(&invocation.principal));
    let event = event.skill(&tool.skill_id).subject(&tool.entrypoint.id).details(details);
    state.journal.append(event).await.map_err(StateError::from)?;
    Ok(())
}

async fn write(state: &Arc<State>, event: NewEvent, finished: FinishedRun) -> Result<Leaf, CallError> {
    let written =
        state.journal.transaction(Durability::Normal, move |transaction: &mut JournalTransaction<'_>| {
            let leaf = transaction.append(event)?;
            runs::finish(transaction, &finished, leaf.sequence)
                .map_err(JournalError::sqlite("finish a run"))?;
            Ok(leaf)
        });
    written.await.map_err(|error: JournalError| CallError::State(error.into()))
}

fn details(
    invocation: &ToolInvocation,
    tool: &FoundTool,
    output: &Result<JsonText, WasmPluginRunError>,
    usage: &palyra_plugins_runtime::RunUsage,
    capabilities: &CapabilityUse,
) -> Value {
    let digest = |text: &JsonText| Sha256Digest::of(text.as_str().as_bytes()).to_string();
    json!({
        "payload": tool.release.payload.to_string(),
        "version": tool.release.manifest.version.to_string(),
        "consent": tool.release.consent.map(|consent| consent.to_string()),
        "input_sha256": digest(&invocation.input),
        "output_sha256": output.as_ref().ok().map(digest),
        "error": output.as_ref().err().map(|error| error.kind().wire_name()),
        "fuel": usage.fuel,
        "peak_memory_bytes": usage.peak_memory_bytes,
        "host_calls": usage.host_calls,
        "egress_bytes": usage.egress_bytes,
        "elapsed_us": u64::try_from(usage.elapsed.as_micros()).unwrap_or(u64::MAX >> 1),
        "capabilities": capabilities,
    })
}

/// A principal's name is never longer than a field of the journal.
fn short(name: &str) -> String {
    palyra_common::redact::escape_untrusted(&name.chars().take(100).collect::<String>())
}
