//! Maps engine errors to run errors, by type and never by text.

use palyra_common::redact::escape_untrusted;
use palyra_common::text::clip_untrusted;
use palyra_common::{LimitKind, RuntimeLimits, WasmPluginRunError};
use wasmtime::component::ResourceTableError;
use wasmtime::{PoolConcurrencyLimitError, Trap, WasmBacktrace};

/// Maximum number of frames in a backtrace.
const MAX_FRAMES: usize = 32;

/// A run error that is passed through the engine.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct RunFault(pub(crate) WasmPluginRunError);

/// A replay that cannot continue. The tape contains the position and the reason.
#[derive(Debug, thiserror::Error)]
#[error("the replay diverged from its tape")]
pub(crate) struct ReplayStopped;

/// Converts an error of a guest call to the error of the run.
pub(crate) fn classify(
    error: &wasmtime::Error,
    limits: &RuntimeLimits,
    fuel_used: u64,
) -> WasmPluginRunError {
    if let Some(RunFault(fault)) = error.downcast_ref::<RunFault>() {
        return fault.clone();
    }
    if let Some(trap) = error.downcast_ref::<Trap>() {
        return classify_trap(*trap, error, limits, fuel_used);
    }
    if let Some(exit) = error.downcast_ref::<wasmtime_wasi::I32Exit>() {
        let reason = format!("the guest called exit({}) before it returned a result", exit.0);
        return WasmPluginRunError::Trapped { reason, backtrace: backtrace(error) };
    }
    if error.is::<PoolConcurrencyLimitError>() {
        return WasmPluginRunError::Busy { reason: "concurrency" };
    }
    if let Some(ResourceTableError::Full) = error.downcast_ref::<ResourceTableError>() {
        let allowed = palyra_common::limits::MAX_RESOURCES as u64;
        return WasmPluginRunError::QuotaExceeded { limit: LimitKind::Resources, allowed, used: allowed + 1 };
    }
    let inside_guest = error.is::<WasmBacktrace>();
    if is_host_data_exhausted(error) {
        return if inside_guest {
            let allowed = host_data_budget(limits);
            WasmPluginRunError::QuotaExceeded { limit: LimitKind::HostData, allowed, used: allowed + 1 }
        } else {
            let allowed = limits.max_output_bytes;
            WasmPluginRunError::QuotaExceeded {
                limit: LimitKind::Output,
                allowed,
                used: host_data_budget(limits) + 1,
            }
        };
    }
    if inside_guest {
        WasmPluginRunError::Trapped { reason: text_of(error), backtrace: backtrace(error) }
    } else {
        // The guest has returned, so the failure is one of reading its result.
        WasmPluginRunError::InvalidOutput { pointer: String::new(), reason: text_of(error) }
    }
}

/// Returns the run's error for a failed instantiation.
pub(crate) fn classify_instantiation(
    error: &wasmtime::Error,
    limits: &RuntimeLimits,
    fuel_used: u64,
) -> WasmPluginRunError {
    match classify(error, limits, fuel_used) {
        WasmPluginRunError::InvalidOutput { reason, .. } => {
            WasmPluginRunError::Trapped { reason, backtrace: Vec::new() }
        }
        other => other,
    }
}

/// Returns how many bytes one host call may copy out of the guest.
pub(crate) fn host_data_budget(limits: &RuntimeLimits) -> u64 {
    limits.max_input_bytes.max(limits.max_output_bytes).saturating_mul(2)
}

/// Returns whether the error is the engine's "too much data in one call".
///
/// Its type is private: it is the only error of lifting that is neither a message nor a UTF-8 error.
/// `tests/all/hostile.rs` checks this for the engine version in use.
fn is_host_data_exhausted(error: &wasmtime::Error) -> bool {
    let root = error.root_cause();
    !error.is::<std::str::Utf8Error>()
        && !error.is::<std::string::FromUtf8Error>()
        && !error.is::<&'static str>()
        && !error.is::<String>()
        && root.downcast_ref::<std::num::TryFromIntError>().is_none()
        && std::error::Error::source(root).is_none()
        && !error.is::<ResourceTableError>()
}

fn classify_trap(
    trap: Trap,
    error: &wasmtime::Error,
    limits: &RuntimeLimits,
    fuel_used: u64,
) -> WasmPluginRunError {
    match trap {
        Trap::OutOfFuel => WasmPluginRunError::QuotaExceeded {
            limit: LimitKind::Fuel,
            allowed: limits.fuel_budget,
            used: fuel_used.max(limits.fuel_budget),
        },
        Trap::StackOverflow => {
            let allowed = palyra_common::limits::MAX_STACK_BYTES;
            WasmPluginRunError::QuotaExceeded { limit: LimitKind::Stack, allowed, used: allowed }
        }
        Trap::Interrupt => WasmPluginRunError::TimedOut { limit_ms: limits.wall_clock_timeout_ms },
        _ => WasmPluginRunError::Trapped { reason: trap.to_string(), backtrace: backtrace(error) },
    }
}

fn backtrace(error: &wasmtime::Error) -> Vec<String> {
    let Some(backtrace) = error.downcast_ref::<WasmBacktrace>() else { return Vec::new() };
    let name = |frame: &wasmtime::FrameInfo| match frame.func_name() {
        Some(name) => clip_untrusted(name, 200),
        None => format!("function {}", frame.func_index()),
    };
    backtrace.frames().iter().take(MAX_FRAMES).map(name).collect()
}

fn text_of(error: &wasmtime::Error) -> String {
    let text: String = error.root_cause().to_string().chars().take(300).collect();
    escape_untrusted(&text)
}
