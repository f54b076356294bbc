//! The interface `run` of the harness.

use super::with;

/// Returns the id of the run.
pub fn run_id() -> String {
    with(|state| state.run_id.clone())
}

/// Returns the id of the called tool or hook.
pub fn tool_id() -> String {
    with(|state| state.call.tool_id.clone())
}

/// Returns the remaining fuel, as set on the harness.
pub fn remaining_fuel() -> u64 {
    with(|state| state.fuel)
}

/// Returns the remaining milliseconds, as set on the harness.
pub fn remaining_milliseconds() -> u64 {
    with(|state| state.milliseconds)
}

/// Returns the operator's settings as JSON text.
pub fn operator_config() -> String {
    with(|state| state.config.clone())
}
