//! Executes the guest: a store, an instance and one call, under one deadline.

use super::{Finished, judge};
use crate::capabilities::bindings::palyra::plugin::types::ToolError;
use crate::fault::{RunFault, classify, classify_instantiation, host_data_budget};
use crate::invocation::{CancelToken, Entry, HookDecision, Invocation};
use crate::module::{ComponentExports, Linked, LoadedModule, core_exports};
use crate::report::RunOutput;
use crate::run_context::RunContext;
use crate::run_state::RunState;
use crate::runtime::WasmRuntime;
use crate::wasi::WasiState;
use palyra_common::WasmPluginRunError;
use palyra_common::redact::escape_untrusted;
use palyra_common::text::clip_untrusted;
use palyra_plugins_sdk::abi::{core_module, interfaces};
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use wasmtime::component::{ComponentExportIndex, ComponentType, Lift};
use wasmtime::{Store, Trap, UpdateDeadline};

/// Largest length of a guest's error message; the rest is cut off.
const MAX_ERROR_CHARS: usize = 4_096;
/// Largest details of a guest's error; longer ones are dropped.
const MAX_DETAILS_BYTES: usize = 64 << 10;
/// Fuel after which the engine writes its count back at the latest.
///
/// Compiled code counts fuel in a register and writes it back at calls, at returns and at `unreachable`. A trap raised by
/// a signal, a memory limit or an interruption loses the count since then. Handing out fuel in slices bounds that loss.
const FUEL_SLICE: u64 = 100_000;
/// Handles of resources a component may have at once, its own included.
const MAX_HANDLES: usize = 100_000;

type Outcome = Result<RunOutput, WasmPluginRunError>;

/// Runs the guest and measures it.
pub(super) async fn call(
    module: &LoadedModule,
    invocation: &Invocation,
    run: &Arc<RunContext>,
    runtime: &WasmRuntime,
) -> Finished {
    let mut store = match open_wasi(module, run).await.and_then(|wasi| new_store(module, run, runtime, wasi))
    {
        Ok(store) => store,
        Err(error) => return Finished { result: Err(error), fuel: 0, peak_memory: 0 },
    };
    let result = bounded(run, enter(module, invocation, run, &mut store)).await;
    let fuel = charged_fuel(&store, run);
    // Streams flush their last line when they are dropped.
    drop(store);
    Finished { result, fuel, peak_memory: run.memory.peak() }
}

/// Ends a wait at the deadline or when the caller cancels; the guest's own code is ended by the epoch.
async fn bounded(run: &RunContext, work: impl Future<Output = Outcome>) -> Outcome {
    if run.cancel.as_ref().is_some_and(CancelToken::is_cancelled) {
        return Err(WasmPluginRunError::Cancelled);
    }
    let mut work = pin!(work);
    // Most guests never wait: the timer is set up for those that do.
    if let Poll::Ready(outcome) = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await {
        return outcome;
    }
    let timed = tokio::time::timeout_at(run.deadline.into(), work);
    let outcome = match &run.cancel {
        None => timed.await,
        Some(cancel) => tokio::select! {
            biased;
            () = CancelToken::cancelled(cancel) => return Err(WasmPluginRunError::Cancelled),
            outcome = timed => outcome,
        },
    };
    outcome.unwrap_or(Err(WasmPluginRunError::TimedOut { limit_ms: run.limits.wall_clock_timeout_ms }))
}

/// Opens the WASI state of the run, if the module imports any of WASI.
async fn open_wasi(
    module: &LoadedModule,
    run: &Arc<RunContext>,
) -> Result<Option<Box<WasiState>>, WasmPluginRunError> {
    if !module.uses_wasi {
        return Ok(None);
    }
    let opened = WasiState::open(run).await;
    opened.map(|wasi| Some(Box::new(wasi))).map_err(|failure| match failure.violation() {
        Some(violation) => violation,
        None => WasmPluginRunError::Internal(failure.message()),
    })
}

fn new_store(
    module: &LoadedModule,
    run: &Arc<RunContext>,
    runtime: &WasmRuntime,
    wasi: Option<Box<WasiState>>,
) -> Result<Store<RunState>, WasmPluginRunError> {
    let internal = |error: wasmtime::Error| WasmPluginRunError::Internal(format!("{error:#}"));
    let mut state = RunState::new(Arc::clone(run));
    state.wasi = wasi;
    let mut store = Store::new(runtime.engine(module.class), state);
    store.limiter(|state| &mut state.limiter);
    store.fuel_async_yield_interval(Some(FUEL_SLICE)).map_err(internal)?;
    store.set_fuel(run.limits.fuel_budget).map_err(internal)?;
    store.set_max_component_handles(MAX_HANDLES);
    store.set_hostcall_fuel(usize::try_from(host_data_budget(&run.limits)).unwrap_or(usize::MAX));
    store.set_epoch_deadline(1);
    store.epoch_deadline_callback(|store| {
        let run = &store.data().run;
        let used = run.limits.fuel_budget.saturating_sub(store.get_fuel().unwrap_or(0));
        run.fuel.store(used, Ordering::Relaxed);
        match run.interruption() {
            Some(error) => Err(RunFault(error).into()),
            None => Ok(UpdateDeadline::Yield(1)),
        }
    });
    Ok(store)
}

async fn enter(
    module: &LoadedModule,
    invocation: &Invocation,
    run: &Arc<RunContext>,
    store: &mut Store<RunState>,
) -> Outcome {
    match &module.linked {
        Linked::Component { pre, exports } => enter_component(pre, exports, invocation, run, store).await,
        Linked::Core { pre, default_export } => {
            enter_core(pre, *default_export, invocation, run, store).await
        }
    }
}

async fn enter_component(
    pre: &wasmtime::component::InstancePre<RunState>,
    exports: &ComponentExports,
    invocation: &Invocation,
    run: &Arc<RunContext>,
    store: &mut Store<RunState>,
) -> Outcome {
    let index = export_index(exports, &invocation.entry)?;
    let instance = pre.instantiate_async(&mut *store).await;
    let instance =
        instance.map_err(|error| classify_instantiation(&error, &run.limits, used_fuel(store, run)))?;
    let input = invocation.input.as_str();
    run.enter();
    match &invocation.entry {
        Entry::Tool { id, .. } => {
            let function =
                instance.get_typed_func::<(&str, &str), (Result<String, ToolError>,)>(&mut *store, index);
            let (result,) =
                finish(function.map_err(wrong_type)?.call_async(&mut *store, (id, input)).await, run, store)?;
            judge::checked_text(run, result.map_err(tool_failed)?)
        }
        Entry::Hook { event, .. } => {
            let function = instance
                .get_typed_func::<(&str, &str), (Result<GuestDecision, ToolError>,)>(&mut *store, index);
            let (result,) = finish(
                function.map_err(wrong_type)?.call_async(&mut *store, (event, input)).await,
                run,
                store,
            )?;
            result.map(|decision| RunOutput::Decision(decision.into())).map_err(tool_failed)
        }
        Entry::Describe => {
            let function =
                instance.get_typed_func::<(), (String,)>(&mut *store, index).map_err(wrong_type)?;
            let (description,) = finish(function.call_async(&mut *store, ()).await, run, store)?;
            judge::checked_text(run, description)
        }
    }
}

async fn enter_core(
    pre: &wasmtime::InstancePre<RunState>,
    default_export: bool,
    invocation: &Invocation,
    run: &Arc<RunContext>,
    store: &mut Store<RunState>,
) -> Outcome {
    let name = match &invocation.entry {
        Entry::Tool { export, .. } | Entry::Hook { export, .. } => {
            export.as_deref().unwrap_or(core_module::DEFAULT_EXPORT)
        }
        Entry::Describe => return Err(missing("export", interfaces::DESCRIBE, Vec::new())),
    };
    if !(default_export && name == core_module::DEFAULT_EXPORT) {
        core_exports::check(pre.module(), name)?;
    }
    store.data_mut().core.input = core_input(invocation);
    let instance = pre.instantiate_async(&mut *store).await;
    let instance =
        instance.map_err(|error| classify_instantiation(&error, &run.limits, used_fuel(store, run)))?;
    let function = instance.get_typed_func::<(), i32>(&mut *store, name).map_err(wrong_type)?;
    run.enter();
    let status = finish(function.call_async(&mut *store, ()).await, run, store)?;
    let output = std::mem::take(&mut store.data_mut().core.output);
    if status != 0 {
        return Err(core_failed(status, &output));
    }
    match &invocation.entry {
        Entry::Hook { .. } => read_decision(run, output),
        _ => judge::checked_bytes(run, output),
    }
}

/// Returns the input of a core module; a hook reads `{"event": …, "payload": …}`, because it has only one input.
fn core_input(invocation: &Invocation) -> Arc<String> {
    match &invocation.entry {
        Entry::Hook { event, .. } => Arc::new(format!(
            r#"{{"event":{},"payload":{}}}"#,
            serde_json::Value::from(event.as_str()),
            invocation.input
        )),
        _ => invocation.input.clone().into_shared(),
    }
}

fn read_decision(run: &RunContext, output: Vec<u8>) -> Outcome {
    let RunOutput::Json(text) = judge::checked_bytes(run, output)? else {
        return Err(WasmPluginRunError::Internal("an output that is not JSON".into()));
    };
    serde_json::from_str(text.as_str()).map(RunOutput::Decision).map_err(|error| {
        WasmPluginRunError::InvalidOutput {
            pointer: String::new(),
            reason: format!("it is not a hook decision: {error}"),
        }
    })
}

/// Returns the error of a core module: its status, and its output as the message if it is text.
fn core_failed(status: i32, output: &[u8]) -> WasmPluginRunError {
    let message: String = String::from_utf8_lossy(output).chars().take(MAX_ERROR_CHARS).collect();
    let message =
        if message.is_empty() { format!("it returned {status}") } else { escape_untrusted(&message) };
    WasmPluginRunError::ToolFailed { code: format!("status_{status}"), message, details: None }
}

fn export_index<'a>(
    exports: &'a ComponentExports,
    entry: &Entry,
) -> Result<&'a ComponentExportIndex, WasmPluginRunError> {
    let (index, interface) = match entry {
        Entry::Tool { .. } => (&exports.invoke, interfaces::TOOLS),
        Entry::Hook { .. } => (&exports.on_event, interfaces::HOOKS),
        Entry::Describe => (&exports.describe, interfaces::DESCRIBE),
    };
    let known = || {
        let pairs = [
            (&exports.invoke, interfaces::TOOLS),
            (&exports.on_event, interfaces::HOOKS),
            (&exports.describe, interfaces::DESCRIBE),
        ];
        pairs.into_iter().filter(|(index, _)| index.is_some()).map(|(_, name)| name.to_owned()).collect()
    };
    index.as_ref().ok_or_else(|| missing("export", interface, known()))
}

fn missing(what: &'static str, name: &str, known: Vec<String>) -> WasmPluginRunError {
    WasmPluginRunError::NotFound { what, name: name.to_owned(), known }
}

fn wrong_type(error: wasmtime::Error) -> WasmPluginRunError {
    WasmPluginRunError::invalid_module(format!(
        "its export has the wrong type: {}",
        escape_untrusted(&format!("{error:#}"))
    ))
}

fn finish<T>(
    returned: wasmtime::Result<T>,
    run: &RunContext,
    store: &mut Store<RunState>,
) -> Result<T, WasmPluginRunError> {
    store.data_mut().fuel_is_exact = match &returned {
        Ok(_) => true,
        Err(error) => matches!(
            error.downcast_ref::<Trap>(),
            Some(Trap::UnreachableCodeReached | Trap::OutOfFuel | Trap::StackOverflow)
        ),
    };
    returned.map_err(|error| classify(&error, &run.limits, used_fuel(store, run)))
}

/// Returns the fuel to charge: the exact amount if the engine wrote it back, otherwise the maximum possible.
fn charged_fuel(store: &Store<RunState>, run: &RunContext) -> u64 {
    let used = used_fuel(store, run);
    if store.data().fuel_is_exact {
        used
    } else {
        used.saturating_add(FUEL_SLICE).min(run.limits.fuel_budget)
    }
}

fn used_fuel(store: &Store<RunState>, run: &RunContext) -> u64 {
    run.limits.fuel_budget.saturating_sub(store.get_fuel().unwrap_or(0))
}

fn tool_failed(error: ToolError) -> WasmPluginRunError {
    let clip = |text: &str, most: usize| clip_untrusted(text, most);
    WasmPluginRunError::ToolFailed {
        code: clip(&error.code, 64),
        message: clip(&error.message, MAX_ERROR_CHARS),
        details: error
            .details_json
            .filter(|details| details.len() <= MAX_DETAILS_BYTES)
            .and_then(|details| serde_json::from_str(&details).ok()),
    }
}

/// The `hook-decision` of the WIT.
#[derive(ComponentType, Lift)]
#[component(variant)]
enum GuestDecision {
    #[component(name = "continue")]
    Continue,
    #[component(name = "annotate")]
    Annotate(String),
    #[component(name = "request-approval")]
    RequestApproval(String),
    #[component(name = "block")]
    Block(String),
}

impl From<GuestDecision> for HookDecision {
    fn from(decision: GuestDecision) -> Self {
        let clip = |text: String| clip_untrusted(&text, MAX_ERROR_CHARS);
        match decision {
            GuestDecision::Continue => Self::Continue,
            GuestDecision::Annotate(text) => Self::Annotate(clip(text)),
            GuestDecision::RequestApproval(reason) => Self::RequestApproval(clip(reason)),
            GuestDecision::Block(reason) => Self::Block(clip(reason)),
        }
    }
}
