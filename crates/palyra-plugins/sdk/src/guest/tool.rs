//! A tool as a type. [`macro@crate::tool`] implements it for a function.

use super::error::ToolError;
use schemars::Schema;

/// A tool of a plugin.
pub trait Tool {
    /// The tool id, `publisher.name`.
    const ID: &'static str;
    /// The description, by which a model chooses the tool.
    const DESCRIPTION: &'static str;

    /// Calls the tool with JSON text and returns JSON text.
    fn call(input_json: &str) -> Result<String, ToolError>;
    /// Returns the JSON Schema of the input.
    fn input_schema() -> Schema;
    /// Returns the JSON Schema of the output.
    fn output_schema() -> Schema;
}
