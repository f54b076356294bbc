//! Facts about the present call.

use super::error::ToolError;
use super::raw::run;
use serde::de::DeserializeOwned;

/// The id of this run.
pub fn run_id() -> String {
    run::run_id()
}

/// The id of the tool or hook being called.
pub fn tool_id() -> String {
    run::tool_id()
}

/// Fuel left.
pub fn remaining_fuel() -> u64 {
    run::remaining_fuel()
}

/// Milliseconds left until the deadline.
pub fn remaining_milliseconds() -> u64 {
    run::remaining_milliseconds()
}

/// The operator's settings for this plugin, as a type of yours.
pub fn config<T: DeserializeOwned>() -> Result<T, ToolError> {
    serde_json::from_str(&run::operator_config())
        .map_err(|error| ToolError::new("invalid_config", format!("invalid operator settings: {error}")))
}
