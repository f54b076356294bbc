//! The receipt: one leaf per run, with digests of input and output, cost, and used capabilities.

use std::collections::BTreeMap;
use std::sync::Arc;

use palyra_common::text::clip_untrusted;
use palyra_common::{ErrorCode, InOrder, JsonText, WasmPluginRunError};
use palyra_journal::{EventError, EventKind, JournalError, NewEvent, PreparedEvent};
use palyra_plugins_runtime::{Entry, HookDecision, RunOutput, RunReport, StepTime};
use palyra_skills::Sha256Digest;
use palyra_state::runs::{
    self, CapabilityUse, FinishedRun, INLINE, KeptTape, OTHERS, Refusal, RefusedBy, RunNotes, Touched,
    UseCount,
};
use palyra_state::{State, StateError, short_name};
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::approval::Approved;
use super::hook::HookRun;
use super::schemas::CheckDeadline;
use super::wasm_plugin_runner::{BegunRun, Calling, ResolvedPlugin, explain_inline};
use super::{CallError, FailedRun, StageTimes, ToolCaller, ToolResult, refusal, usage};

/// Maximum number of gates in a receipt.
const MAX_GATES_RECORDED: usize = 32;
/// Initial capacity for the serialized facts in bytes.
const LIKELY_FACTS_BYTES: usize = 1 << 10;
/// Maximum length of the text of a decision.
const MAX_DECISION_CHARS: usize = 500;

/// Checks the output, writes the receipt, and returns the result after the receipt is committed.
pub(super) async fn finish(
    caller: &ToolCaller,
    calling: &Calling,
    resolved: &ResolvedPlugin,
    mut run: BegunRun,
    approval: Approved,
    report: RunReport,
) -> Result<ToolResult<RunOutput>, CallError> {
    let (state, subject, run_id) = (&caller.state, &calling.subject, run.row().run_id.clone());
    let RunReport { mut result, usage, log, host_calls, step_times, tape, .. } = report;
    let deadline = CheckDeadline::of_call(resolved.limits.wall_clock_timeout_ms, usage.elapsed);
    let denied = explain_denial(&mut result, calling, resolved);
    let output = checked_output(result, resolved, deadline).await;
    let notes = RunNotes {
        failure: output.as_ref().err().map(|error| failure(state, calling, resolved, error, denied)),
        step_times: step_times.iter().map(microseconds).collect(),
    };
    let capabilities = usage::count(&resolved.grants.grants, &host_calls);
    let touched = usage::touched(&resolved.grants.grants, &host_calls);
    let kept = KeptTape::keep(state, &tape).await;
    let decided = decision(&output);
    let facts = ReceiptFacts {
        approval: approval.as_deref(),
        capabilities: Counts(&capabilities),
        consent: subject.consent.as_deref(),
        output_sha256: output.as_ref().ok().map(|output| output_digest(output, decided.as_ref())),
        decision: decided,
        egress_bytes: usage.egress_bytes,
        elapsed_us: u64::try_from(usage.elapsed.as_micros()).unwrap_or(u64::MAX >> 1),
        ended_by: run.listed.ended_by(),
        error: output.as_ref().err().map(|error| error.kind().wire_name()),
        failure_sha256: notes.failure_sha256(),
        fuel: usage.fuel,
        gates: gates(calling),
        hook: hook(calling),
        host_calls: usage.host_calls,
        input_sha256: digest(&calling.input),
        payload: &subject.payload_text,
        peak_memory_bytes: usage.peak_memory_bytes,
        session: calling.context.session.as_deref(),
        tape_sha256: kept.as_ref().map(KeptTape::digest),
        touched: Some(ByKind(&touched)),
        version: subject.version.as_deref(),
    };
    let kind = if output.is_ok() { EventKind::RunCompleted } else { EventKind::RunFailed };
    let now = state.now_ms();
    let new_event = || {
        let event = NewEvent::new(kind, now).actor(short_name(&calling.principal.actor()));
        event.run(&run_id).skill(&subject.skill_id).subject(&subject.tool_id)
    };
    let event = prepare(state, new_event, facts, &capabilities, &run_id)?;
    let status = status_of(&output);
    let finished = FinishedRun {
        row: Arc::clone(run.row()),
        status,
        at_ms: now,
        receipt: event,
        events: run.listed.events().to_keep(),
        uses: capabilities.clone(),
        touched,
        error: output.as_ref().err().map(|error| error.kind().wire_name()),
        notes,
        tape: kept,
        passes: calling.hook.as_ref().filter(|hook| hook.delivers && output.is_ok()).and_then(passed),
    };
    run.finish();
    let receipt = runs::finish(state, finished).await.inspect_err(|_| run.not_finished())?;
    run.listed.events().finish(status);
    if state.wants_head_kept() {
        let state = Arc::clone(state);
        // The receipt is committed; if the vault cannot store the head now, it does so later.
        if let Err(error) = super::resolve::blocking(move || state.keep_head()).await {
            tracing::warn!(%error, "cannot write the journal's head to the vault");
        }
    }
    let output = match output {
        Ok(output) => output,
        Err(error) => {
            return Err(CallError::Failed(Box::new(FailedRun { run_id, fuel: usage.fuel, error })));
        }
    };
    Ok(ToolResult {
        run_id,
        skill_id: subject.skill_id.clone(),
        tool_id: subject.tool_id.clone(),
        payload: subject.payload,
        output,
        usage,
        capabilities,
        log,
        receipt,
        tape,
        stages: StageTimes::default(),
    })
}

/// Builds the receipt. No text of a guest, a manifest or a gate may prevent it: if it is too large, capabilities are
/// summed and the texts of gates are omitted.
fn prepare(
    state: &State,
    new_event: impl Fn() -> NewEvent,
    facts: ReceiptFacts<'_>,
    uses: &CapabilityUse,
    run_id: &str,
) -> Result<PreparedEvent, StateError> {
    let prepare = |facts: &ReceiptFacts<'_>| -> Result<PreparedEvent, StateError> {
        let facts = written(facts).map_err(StateError::record("written", run_id))?;
        Ok(state.journal().prepare(new_event(), facts)?)
    };
    match prepare(&facts) {
        Err(StateError::Journal(JournalError::Event(EventError::TooLarge { .. }))) => {
            let others = CapabilityUse::from([(OTHERS.to_owned(), sum(uses))]);
            prepare(&ReceiptFacts { capabilities: Counts(&others), gates: None, touched: None, ..facts })
        }
        prepared => prepared,
    }
}

/// Sums the uses of all capabilities.
fn sum(uses: &CapabilityUse) -> UseCount {
    uses.values().fold(UseCount::default(), |sum, count| UseCount {
        used: sum.used.saturating_add(count.used),
        denied: sum.denied.saturating_add(count.denied),
        failed: sum.failed.saturating_add(count.failed),
    })
}

fn status_of(output: &Result<RunOutput, WasmPluginRunError>) -> &'static str {
    match output {
        Ok(_) => "completed",
        Err(WasmPluginRunError::Cancelled) => "cancelled",
        Err(_) => "failed",
    }
}

/// Adds the refusing authority to a denial; returns the refusal.
fn explain_denial(
    result: &mut Result<RunOutput, WasmPluginRunError>,
    calling: &Calling,
    resolved: &ResolvedPlugin,
) -> Option<Refusal> {
    let Err(WasmPluginRunError::CapabilityDenied(denial)) = result else { return None };
    let by = resolved.grants.explain(denial);
    let refusal = if calling.subject.skill_id == INLINE {
        explain_inline(denial);
        Refusal { by: RefusedBy::Call, ..refusal::denied(denial, by) }
    } else {
        refusal::denied(denial, by)
    };
    Some(refusal)
}

/// Returns the cause of the failure as JSON text, whose digest is in the receipt.
fn failure(
    state: &State,
    calling: &Calling,
    resolved: &ResolvedPlugin,
    error: &WasmPluginRunError,
    denied: Option<Refusal>,
) -> String {
    let limits = resolved.limits_of_call.as_ref();
    let over_limit = || refusal::over_limit(error, &state.view(), &calling.subject.skill_id, limits);
    let failure = runs::run_failure(error, denied.or_else(over_limit));
    json!(failure).to_string()
}

/// Returns the number of a step, starting at 1, and its duration in microseconds.
fn microseconds(time: &StepTime) -> (u64, u64) {
    let elapsed = u64::try_from(time.elapsed.as_micros()).unwrap_or(u64::MAX >> 1);
    ((time.index as u64).saturating_add(1), elapsed)
}

/// Checks the output against its schema.
async fn checked_output(
    result: Result<RunOutput, WasmPluginRunError>,
    resolved: &ResolvedPlugin,
    deadline: CheckDeadline,
) -> Result<RunOutput, WasmPluginRunError> {
    let output = result?;
    let text = match (output, &resolved.entry) {
        (RunOutput::Json(text), Entry::Tool { .. }) => text,
        (RunOutput::Decision(decision), Entry::Hook { .. }) => {
            return Ok(RunOutput::Decision(clipped(decision)));
        }
        _ => return Err(WasmPluginRunError::Internal("unexpected output type".into())),
    };
    if let Some(schemas) = &resolved.schemas {
        schemas.check_output(&text, deadline).await?;
    }
    Ok(RunOutput::Json(text))
}

/// Escapes the text of a decision and truncates it, so that it fits into a leaf.
fn clipped(decision: HookDecision) -> HookDecision {
    let clip = |text: String| clip_untrusted(&text, MAX_DECISION_CHARS);
    match decision {
        HookDecision::Continue => HookDecision::Continue,
        HookDecision::Annotate(text) => HookDecision::Annotate(clip(text)),
        HookDecision::RequestApproval(reason) => HookDecision::RequestApproval(clip(reason)),
        HookDecision::Block(reason) => HookDecision::Block(clip(reason)),
    }
}

/// Records in the journal that a call was rejected before it started.
pub(super) async fn refuse(
    state: &Arc<State>,
    calling: &Calling,
    error: ErrorCode,
    gate: Option<&str>,
) -> Result<(), CallError> {
    let subject = &calling.subject;
    let mut details = json!({
        "payload": subject.payload_text,
        "error": error,
        "input_sha256": digest(&calling.input).to_string(),
    });
    if let Some(binding) = gate {
        details["gate"] = json!(binding);
    }
    if let Some(hook) = hook(calling) {
        details["hook"] = hook;
    }
    let event =
        NewEvent::new(EventKind::RunRefused, state.now_ms()).actor(short_name(&calling.principal.actor()));
    let event = event.skill(&subject.skill_id).subject(&subject.tool_id).details(details);
    state.journal().append(event).await.map_err(StateError::from)?;
    Ok(())
}

/// Returns the digest of an output as JSON text; `decided` is the decision of a hook.
fn output_digest(output: &RunOutput, decided: Option<&Value>) -> Sha256Digest {
    match (output, decided) {
        (RunOutput::Json(text), _) => digest(text),
        (RunOutput::Decision(_), decided) => digest(&JsonText::from(decided.unwrap_or(&Value::Null))),
    }
}

fn digest(text: &JsonText) -> Sha256Digest {
    Sha256Digest::of(text.as_str().as_bytes())
}

/// The details of a receipt. Fields are in alphabetical order, as in the leaf.
#[derive(Serialize)]
struct ReceiptFacts<'a> {
    approval: Option<&'a str>,
    capabilities: Counts<'a>,
    consent: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "in_order")]
    decision: Option<Value>,
    egress_bytes: u64,
    elapsed_us: u64,
    ended_by: Option<&'static str>,
    error: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure_sha256: Option<Sha256Digest>,
    fuel: u64,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "in_order")]
    gates: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "in_order")]
    hook: Option<Value>,
    host_calls: u64,
    input_sha256: Sha256Digest,
    output_sha256: Option<Sha256Digest>,
    payload: &'a str,
    peak_memory_bytes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<&'a str>,
    tape_sha256: Option<Sha256Digest>,
    /// Compared with the rows of `touched`; missing in receipts of earlier versions and in those that would be too
    /// large.
    #[serde(skip_serializing_if = "Option::is_none")]
    touched: Option<ByKind<'a>>,
    version: Option<&'a str>,
}

fn written(facts: &ReceiptFacts<'_>) -> Result<String, serde_json::Error> {
    let mut text = Vec::with_capacity(LIKELY_FACTS_BYTES);
    serde_json::to_writer(&mut text, facts)?;
    String::from_utf8(text).map_err(serde::ser::Error::custom)
}

/// Touched resources, serialized by kind with names in order.
#[derive(Clone, Copy)]
struct ByKind<'a>(&'a Touched);

impl Serialize for ByKind<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut kinds: BTreeMap<&str, BTreeMap<&str, u64>> = BTreeMap::new();
        for ((kind, name), uses) in self.0 {
            kinds.entry(*kind).or_default().insert(name, *uses);
        }
        kinds.serialize(serializer)
    }
}

/// Counters, serialized with names in order.
struct Counts<'a>(&'a CapabilityUse);

impl Serialize for Counts<'_> {
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

fn in_order<S: Serializer>(value: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(InOrder).serialize(serializer)
}

/// Returns the decisions of the call's gates.
fn gates(calling: &Calling) -> Option<Value> {
    let recorded = || json!(calling.gates.iter().take(MAX_GATES_RECORDED).collect::<Vec<_>>());
    (!calling.gates.is_empty()).then(recorded)
}

/// Returns the decision of a hook; `None` for a tool.
fn decision(output: &Result<RunOutput, WasmPluginRunError>) -> Option<Value> {
    match output {
        Ok(RunOutput::Decision(decision)) => Some(json!(decision)),
        _ => None,
    }
}

/// Returns the binding and the event of a hook's run.
fn hook(calling: &Calling) -> Option<Value> {
    let HookRun { binding, event, sequence, .. } = calling.hook.as_ref()?;
    Some(json!({ "binding": binding, "event": event, "sequence": sequence }))
}

/// Returns the binding with the position after the delivered event.
fn passed(hook: &HookRun) -> Option<(String, u64)> {
    Some((hook.binding.clone(), hook.sequence?.saturating_add(1)))
}
