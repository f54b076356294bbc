//! The receipt: one leaf for each run, with digests of what went in and out, what it cost and which doors it used.

use std::sync::Arc;

use palyra_common::{JsonText, WasmPluginRunError};
use palyra_journal::{EventKind, JournalError, JournalTransaction, Leaf, NewEvent};
use palyra_plugins_runtime::{RunOutput, RunReport};
use palyra_skills::Sha256Digest;
use serde::{Serialize, Serializer};
use serde_json::json;

use super::approval::Approved;
use super::running::RunUpdate;
use super::runs::{self, FinishedRun};
use super::tapes::KeptTape;
use super::wasm_plugin_runner::{BegunRun, Calling, ResolvedPlugin};
use super::{CallError, CapabilityUse, ToolCaller, ToolResult, UseCount, usage};
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
    let facts = ReceiptFacts {
        approval: approval.as_deref(),
        capabilities: InOrder(&capabilities),
        consent: subject.consent.as_deref(),
        egress_bytes: usage.egress_bytes,
        elapsed_us: u64::try_from(usage.elapsed.as_micros()).unwrap_or(u64::MAX >> 1),
        ended_by: run.listed.ended_by(),
        error: output.as_ref().err().map(|error| error.kind().wire_name()),
        fuel: usage.fuel,
        host_calls: usage.host_calls,
        input_sha256: digest(&calling.input),
        output_sha256: output.as_ref().ok().map(digest),
        payload: &subject.payload_text,
        peak_memory_bytes: usage.peak_memory_bytes,
        tape_sha256: kept.as_ref().map(KeptTape::digest),
        version: subject.version.as_deref(),
    };
    let facts = serde_json::to_string(&facts).map_err(StateError::record("written", &run_id))?;
    let kind = if output.is_ok() { EventKind::RunCompleted } else { EventKind::RunFailed };
    let event = NewEvent::new(kind, state.now_ms()).actor(short_name(&calling.principal));
    let event = event.run(&run_id).skill(&subject.skill_id).subject(&subject.tool_id);
    let event = state.journal.prepare_written(event, facts).map_err(StateError::from)?;
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
        "input_sha256": digest(&calling.input).to_string(),
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

fn digest(text: &JsonText) -> Sha256Digest {
    Sha256Digest::of(text.as_str().as_bytes())
}

/// What a receipt says besides who called what; the names are in order, as they stand in the leaf.
#[derive(Serialize)]
struct ReceiptFacts<'a> {
    approval: Option<&'a str>,
    capabilities: InOrder<'a>,
    consent: Option<&'a str>,
    egress_bytes: u64,
    elapsed_us: u64,
    ended_by: Option<&'static str>,
    error: Option<&'static str>,
    fuel: u64,
    host_calls: u64,
    input_sha256: Sha256Digest,
    output_sha256: Option<Sha256Digest>,
    payload: &'a str,
    peak_memory_bytes: u64,
    tape_sha256: Option<Sha256Digest>,
    version: Option<&'a str>,
}

/// Counters with their names in order.
struct InOrder<'a>(&'a CapabilityUse);

impl Serialize for InOrder<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Count {
            denied: u64,
            failed: u64,
            used: u64,
        }
        let count = |count: &UseCount| Count { denied: count.denied, failed: count.failed, used: count.used };
        serializer.collect_map(self.0.iter().map(|(name, uses)| (name, count(uses))))
    }
}
