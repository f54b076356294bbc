//! A tool as a type; [`macro@crate::tool`] writes it for a function.

use super::error::ToolError;
use schemars::Schema;

/// One tool of a plugin.
pub trait Tool {
    /// Its id, `publisher.name`.
    const ID: &'static str;
    /// What it does, for the model that chooses it.
    const DESCRIPTION: &'static str;

    /// Takes JSON text and returns JSON text.
    fn call(input_json: &str) -> Result<String, ToolError>;
    /// The schema of the input.
    fn input_schema() -> Schema;
    /// The schema of the output.
    fn output_schema() -> Schema;
}
