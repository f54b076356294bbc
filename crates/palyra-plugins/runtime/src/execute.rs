//! One run, stage by stage: admission, preparation, instantiation, call, verdict and report.

mod call;
mod judge;

use crate::capabilities::CapabilityHandles;
use crate::invocation::{Entry, Invocation};
use crate::meter::MemoryMeter;
use crate::module::LoadedModule;
use crate::permits::RunPlace;
use crate::random::RunSeed;
use crate::report::{RunOutput, RunReport, RunUsage};
use crate::run_context::{Changing, GuardedSecrets, RunContext};
use crate::run_log::RunLog;
use crate::runtime::WasmRuntime;
use crate::step_times::StepTimes;
use crate::tape::{Divergence, ReplayVerdict, TAPE_SCHEMA, Tape, TapeEnd, TapeHeader, TapeMachine};
use palyra_common::{JsonText, LimitKind, RuntimeLimits, WasmPluginRunError};
use palyra_egress::ByteBudget;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// The result of a guest call, with its usage.
struct Finished {
    result: Result<RunOutput, WasmPluginRunError>,
    fuel: u64,
    peak_memory: u64,
}

/// Runs a module once.
pub(crate) async fn execute(
    runtime: &WasmRuntime,
    module: &LoadedModule,
    invocation: Invocation,
    place: Option<&RunPlace>,
) -> RunReport {
    let limits = runtime.limits_for(&invocation);
    let run = match prepare(runtime, module, &invocation, limits).await {
        Ok(run) => Arc::new(run),
        Err(refusal) => return refused(runtime, module, invocation, *refusal),
    };
    if let Some(place) = place {
        place.usage().begin(&run);
    }
    let deadline = tokio::time::Instant::from(run.deadline);
    let called = async {
        let _place = match place {
            Some(_) => None,
            None => Some(runtime.permits.admit_until(deadline).await?),
        };
        let _memory = runtime.permits.memory(&run.limits, deadline).await?;
        let _ticking = runtime.ticker.run();
        Ok(call::call(module, &invocation, &run, runtime).await)
    };
    let busy = |error: WasmPluginRunError| Finished { result: Err(error), fuel: 0, peak_memory: 0 };
    let finished = called.await.unwrap_or_else(busy);
    report(runtime, module, invocation, run, finished)
}

/// Makes the checks that need no instance.
async fn prepare(
    runtime: &WasmRuntime,
    module: &LoadedModule,
    invocation: &Invocation,
    limits: RuntimeLimits,
) -> Result<RunContext, Box<Refusal>> {
    let started = Instant::now();
    let refuse = |error| Box::new(Refusal::Error(error));
    if let Some(tape) = &invocation.replay
        && let Some(divergence) = header_divergence(tape, module, invocation)
    {
        return Err(Box::new(Refusal::Diverged(divergence)));
    }
    let input_bytes = invocation.input.as_str().len() as u64;
    if input_bytes > limits.max_input_bytes {
        let (limit, allowed) = (LimitKind::Input, limits.max_input_bytes);
        return Err(refuse(WasmPluginRunError::QuotaExceeded { limit, allowed, used: input_bytes }));
    }
    module.shape.check(&limits).map_err(refuse)?;
    let seed = match &invocation.replay {
        Some(tape) => Ok(RunSeed(tape.header.seed)),
        None => RunSeed::draw(),
    };
    let seed = seed.map_err(|error| refuse(WasmPluginRunError::Internal(error.to_string())))?;
    let secrets = GuardedSecrets::fetch(&invocation.grants, &*runtime.services.secrets).await;
    let secrets = secrets.map_err(|error| refuse(WasmPluginRunError::Internal(error.to_string())))?;
    let tape = match &invocation.replay {
        Some(tape) => TapeMachine::replaying(Arc::clone(tape)),
        None => TapeMachine::recording(limits.max_tape_bytes),
    };
    let changing = Changing {
        tape,
        log: RunLog::new(limits.max_log_bytes),
        violation: None,
        host_calls: 0,
        trace: Vec::new(),
        step_times: StepTimes::default(),
        entered: false,
        masked_responses: 0,
        missed: None,
    };
    Ok(RunContext {
        run_id: Arc::clone(&invocation.run_id),
        tool_id: entry_name(&invocation.entry),
        owner: Arc::clone(&invocation.owner),
        operator_config: invocation.operator_config.clone(),
        grants: Arc::clone(&invocation.grants),
        allow_addresses: Arc::clone(&invocation.allow_addresses),
        services: Arc::clone(&runtime.services),
        handles: CapabilityHandles::draw(&invocation.grants, &seed),
        secrets,
        budget: ByteBudget::new(limits.max_egress_bytes),
        seed,
        started,
        deadline: started + Duration::from_millis(limits.wall_clock_timeout_ms),
        cancel: invocation.cancel.clone(),
        tape_key: runtime.config.tape_key,
        is_replay: invocation.replay.is_some(),
        memory: MemoryMeter::new(limits.max_memory_bytes),
        fuel: AtomicU64::new(0),
        tapes_files: !invocation.replay.as_ref().is_some_and(|tape| tape.header.is_version_1()),
        limits,
        changing: Mutex::new(changing),
    })
}

fn entry_name(entry: &Entry) -> Arc<str> {
    match entry {
        Entry::Tool { id, .. } | Entry::Hook { id, .. } => Arc::from(id.as_str()),
        Entry::Describe => Arc::from("describe"),
    }
}

/// Compares the module and the input with those of a tape, before the first step of a replay.
fn header_divergence(tape: &Tape, module: &LoadedModule, invocation: &Invocation) -> Option<Divergence> {
    let differs = |what: &str, expected: &str, found: &str| {
        let clip = |text: &str| text.chars().take(200).collect();
        (expected != found).then(|| Divergence {
            step: 0,
            what: what.into(),
            expected: clip(expected),
            found: clip(found),
        })
    };
    differs("module", &tape.header.module_sha256, &module.sha256_hex)
        .or_else(|| differs("input", tape.header.input.as_str(), invocation.input.as_str()))
}

/// The reason why a run did not start.
enum Refusal {
    Error(WasmPluginRunError),
    Diverged(Divergence),
}

fn refused(
    runtime: &WasmRuntime,
    module: &LoadedModule,
    invocation: Invocation,
    refusal: Refusal,
) -> RunReport {
    let (error, replay) = match refusal {
        Refusal::Error(error) => (error, None),
        Refusal::Diverged(divergence) => {
            let error = WasmPluginRunError::Internal(
                "the replay diverged from its tape before the first \
                    step"
                    .into(),
            );
            (error, Some(ReplayVerdict::Diverged(divergence)))
        }
    };
    let limits = runtime.limits_for(&invocation);
    let header = tape_header(runtime, module, invocation, &RunSeed([0; 32]), limits);
    let end = TapeEnd { outcome: error.kind().wire_name().into(), ..TapeEnd::default() };
    let tape = Tape { header, steps: Vec::new(), blobs: BTreeMap::new(), end };
    RunReport {
        result: Err(error),
        usage: RunUsage::default(),
        log: Vec::new(),
        host_calls: Vec::new(),
        step_times: Vec::new(),
        tape,
        replay,
    }
}

fn report(
    runtime: &WasmRuntime,
    module: &LoadedModule,
    invocation: Invocation,
    run: Arc<RunContext>,
    finished: Finished,
) -> RunReport {
    let header = tape_header(runtime, module, invocation, &run.seed, run.limits.clone());
    let mut changing = run.changing();
    let result = judge::judge(&run, changing.violation.take(), finished.result);
    let end = TapeEnd {
        outcome: result.as_ref().err().map_or("ok", |error| error.kind().wire_name()).into(),
        output: result.as_ref().ok().map(taped_output),
        fuel: finished.fuel,
        open: false,
    };
    let usage = RunUsage {
        fuel: finished.fuel,
        peak_memory_bytes: finished.peak_memory,
        elapsed: run.started.elapsed(),
        host_calls: changing.host_calls,
        egress_bytes: run.budget.used(),
        log_bytes: changing.log.bytes(),
        output_bytes: end.output.as_ref().map_or(0, |output| output.as_str().len() as u64),
    };
    let machine = std::mem::replace(&mut changing.tape, TapeMachine::recording(0));
    let (tape, replay) = machine.finish(header, end);
    let log = std::mem::take(&mut changing.log.lines);
    let host_calls = std::mem::take(&mut changing.trace);
    let step_times = std::mem::take(&mut changing.step_times).finish();
    RunReport { result, usage, log, host_calls, step_times, tape, replay }
}

fn taped_output(output: &RunOutput) -> JsonText {
    match output {
        RunOutput::Json(text) => text.clone(),
        RunOutput::Decision(decision) => JsonText::from(&serde_json::json!(decision)),
    }
}

fn tape_header(
    runtime: &WasmRuntime,
    module: &LoadedModule,
    invocation: Invocation,
    seed: &RunSeed,
    limits: RuntimeLimits,
) -> TapeHeader {
    TapeHeader {
        schema: TAPE_SCHEMA.into(),
        module_sha256: Arc::clone(&module.sha256_hex),
        engine: Arc::clone(&runtime.fingerprint),
        entry: invocation.entry,
        run_id: invocation.run_id,
        owner: invocation.owner,
        input: invocation.input,
        operator_config: invocation.operator_config,
        grants: invocation.grants,
        limits,
        seed: seed.0,
    }
}
