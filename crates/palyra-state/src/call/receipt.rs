//! The receipt: one leaf for each run, with digests of what went in and out, what it cost and which doors it used.

use std::sync::Arc;

use palyra_common::{JsonText, WasmPluginRunError};
use palyra_journal::{EventKind, JournalError, JournalTransaction, Leaf, NewEvent};
use palyra_plugins_runtime::{RunOutput, RunReport, RunUsage};
use palyra_skills::Sha256Digest;
use serde_json::{Value, json};

use super::approval::Approved;
use super::running::RunUpdate;
use super::runs::{self, FinishedRun};
use super::tapes::KeptTape;
use super::wasm_plugin_runner::{BegunRun, Calling, ResolvedPlugin};
use super::{CallError, CapabilityUse, StageTimes, ToolCaller, ToolResult, usage};
use crate::error::StateError;
use crate::state::State;
use crate::text::short_name;

/// Checks the output, writes the receipt, and gives the result once the receipt is committed.
pub(super) async fn finish(
    caller: &ToolCaller,
    calling: &Calling,
    resolved: &ResolvedPlugin,
    mut run: BegunRun,
    approval: Approved,
    report: RunReport,
) -> Result<ToolResult, CallError> {
    let (state, subject, run_id) = (&caller.state, &calling.subject, run.row().run_id.clone());
    let channels = caller.channels.take(&run_id);
    let RunReport { result, usage, log, host_calls, tape, .. } = report;
    let output = checked_output(result, resolved);
    let capabilities = usage::count(&resolved.grants.grants, &host_calls);
    let touched = usage::touched(&resolved.grants.grants, &host_calls, tape.end.open);
    let kept = KeptTape::keep(state, &tape).await;
    let tape_digest = kept.as_ref().map(KeptTape::digest);
    let facts = Facts { usage: &usage, capabilities: &capabilities, approval, tape: tape_digest.as_deref() };
    let details = details(calling, &output, &facts, run.listed.ended_by());
    let kind = if output.is_ok() { EventKind::RunCompleted } else { EventKind::RunFailed };
    let event = NewEvent::new(kind, state.now_ms()).actor(short_name(&calling.principal));
    let event = event.run(&run_id).skill(&subject.skill_id).subject(&subject.tool_id).details(details);
    let event = state.journal.prepare(event).map_err(StateError::from)?;
    let (status, mut lines) = (status_of(&output), runs::lines(&log, &channels));
    let finished = FinishedRun {
        row: Arc::clone(run.row()),
        status,
        at_ms: runs::signed(state.now_ms()),
        receipt: event,
        events: if run.listed.is_followed() { lines.clone() } else { std::mem::take(&mut lines) },
        uses: capabilities.clone(),
        touched,
        error: output.as_ref().err().map(|error| error.kind().wire_name()),
        tape: kept,
    };
    run.finish();
    let receipt = write(state, finished).await?;
    let logged = lines.into_iter().filter(|(kind, _)| *kind == "log");
    logged.for_each(|(kind, text)| run.listed.tell(RunUpdate::Line { kind: kind.into(), text }));
    run.listed.tell(RunUpdate::Finished { status: status.into() });
    if state.wants_head_kept() {
        let state = Arc::clone(state);
        super::resolve::blocking(move || state.keep_head()).await?;
    }
    Ok(ToolResult {
        run_id,
        skill_id: subject.skill_id.clone(),
        tool_id: subject.tool_id.clone(),
        payload: subject.payload,
        output: output?,
        usage,
        capabilities,
        log,
        receipt,
        tape,
        stages: StageTimes::default(),
    })
}

fn status_of(output: &Result<JsonText, WasmPluginRunError>) -> &'static str {
    match output {
        Ok(_) => "completed",
        Err(WasmPluginRunError::Cancelled) => "cancelled",
        Err(_) => "failed",
    }
}

/// The output against its schema; a denial learns who refused what the manifest asks for.
fn checked_output(
    result: Result<RunOutput, WasmPluginRunError>,
    resolved: &ResolvedPlugin,
) -> Result<JsonText, WasmPluginRunError> {
    let output = result.map_err(|error| match error {
        WasmPluginRunError::CapabilityDenied(mut denial) => {
            resolved.grants.explain(&mut denial);
            WasmPluginRunError::CapabilityDenied(denial)
        }
        other => other,
    })?;
    let Some(text) = output.json() else {
        return Err(WasmPluginRunError::Internal("a tool returned a hook's decision".into()));
    };
    if let Some(schemas) = &resolved.schemas {
        schemas.check_output(text)?;
    }
    Ok(text.clone())
}

/// Tells the journal of a call that was refused before it began.
pub(super) async fn refuse(
    state: &Arc<State>,
    calling: &Calling,
    error: &WasmPluginRunError,
) -> Result<(), CallError> {
    let subject = &calling.subject;
    let details = json!({
        "payload": subject.payload_text,
        "error": error.kind().wire_name(),
        "input_sha256": Sha256Digest::of(calling.input.as_str().as_bytes()).to_string(),
    });
    let event = NewEvent::new(EventKind::RunRefused, state.now_ms()).actor(short_name(&calling.principal));
    let event = event.skill(&subject.skill_id).subject(&subject.tool_id).details(details);
    state.journal.append(event).await.map_err(StateError::from)?;
    Ok(())
}

async fn write(state: &State, finished: FinishedRun) -> Result<Leaf, CallError> {
    let written = state.journal.shared(move |transaction: &mut JournalTransaction<'_>| {
        let leaf = transaction.append_prepared(&finished.receipt)?;
        runs::finish(transaction, &finished, leaf.sequence).map_err(JournalError::sqlite("finish a run"))?;
        Ok(leaf)
    });
    written.await.map_err(|error| CallError::State(error.into()))
}

/// What a receipt says besides who called what.
struct Facts<'a> {
    usage: &'a RunUsage,
    capabilities: &'a CapabilityUse,
    approval: Approved,
    tape: Option<&'a str>,
}

fn details(
    calling: &Calling,
    output: &Result<JsonText, WasmPluginRunError>,
    facts: &Facts<'_>,
    ended_by: Option<&'static str>,
) -> Value {
    let digest = |text: &JsonText| Sha256Digest::of(text.as_str().as_bytes()).to_string();
    let (subject, usage) = (&calling.subject, facts.usage);
    json!({
        "payload": subject.payload_text,
        "version": subject.version,
        "consent": subject.consent,
        "approval": facts.approval,
        "input_sha256": digest(&calling.input),
        "output_sha256": output.as_ref().ok().map(digest),
        "tape_sha256": facts.tape,
        "error": output.as_ref().err().map(|error| error.kind().wire_name()),
        "ended_by": ended_by,
        "fuel": usage.fuel,
        "peak_memory_bytes": usage.peak_memory_bytes,
        "host_calls": usage.host_calls,
        "egress_bytes": usage.egress_bytes,
        "elapsed_us": u64::try_from(usage.elapsed.as_micros()).unwrap_or(u64::MAX >> 1),
        "capabilities": facts.capabilities,
    })
}
