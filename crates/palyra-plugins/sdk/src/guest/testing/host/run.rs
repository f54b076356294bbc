//! `run`.

use super::with;

/// The id of this run.
pub fn run_id() -> String {
    with(|state| state.run_id.clone())
}

/// The id of the tool or hook being called.
pub fn tool_id() -> String {
    with(|state| state.call.tool_id.clone())
}

/// Remaining fuel, as set on the harness.
pub fn remaining_fuel() -> u64 {
    with(|state| state.fuel)
}

/// Remaining milliseconds, as set on the harness.
pub fn remaining_milliseconds() -> u64 {
    with(|state| state.milliseconds)
}

/// The operator's settings as JSON text.
pub fn operator_config() -> String {
    with(|state| state.config.clone())
}
