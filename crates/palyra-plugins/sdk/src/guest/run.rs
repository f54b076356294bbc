//! Facts about the current call.

use super::error::ToolError;
use super::raw::run;
use serde::de::DeserializeOwned;

/// Returns the id of the run.
pub fn run_id() -> String {
    run::run_id()
}

/// Returns the id of the called tool or hook.
pub fn tool_id() -> String {
    run::tool_id()
}

/// Returns the remaining fuel, roughly a number of instructions.
pub fn remaining_fuel() -> u64 {
    run::remaining_fuel()
}

/// Returns the milliseconds until the deadline.
pub fn remaining_milliseconds() -> u64 {
    run::remaining_milliseconds()
}

/// Deserializes the operator's settings of the plugin. Fails with code `invalid_config`.
pub fn config<T: DeserializeOwned>() -> Result<T, ToolError> {
    serde_json::from_str(&run::operator_config())
        .map_err(|error| ToolError::new("invalid_config", format!("invalid operator settings: {error}")))
}
