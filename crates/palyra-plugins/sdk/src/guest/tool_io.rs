//! Functions that the expansion of `#[tool]` calls. Not for authors of guests.

use super::error::ToolError;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

// The input of a tool that takes nothing; a doc comment would become part of its schema.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoInput {}

/// Implemented for `Result`, so that the macro can name its success type.
pub trait Fallible {
    /// The success type.
    type Value;
}

impl<T, E> Fallible for Result<T, E> {
    type Value = T;
}

/// Deserializes the input. Fails with [`ToolError::INVALID_INPUT`].
pub fn read_input<T: DeserializeOwned>(input_json: &str) -> Result<T, ToolError> {
    serde_json::from_str(input_json)
        .map_err(|error| ToolError::new(ToolError::INVALID_INPUT, format!("invalid input: {error}")))
}

/// Serializes the output. Fails with code `invalid_output`.
pub fn write_output<T: Serialize>(output: &T) -> Result<String, ToolError> {
    serde_json::to_string(output)
        .map_err(|error| ToolError::new("invalid_output", format!("the output is not JSON: {error}")))
}

/// Returns the schema of a tool's input type.
pub fn input_schema<T: JsonSchema>() -> Schema {
    schema::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// Returns the schema of a tool's output type.
pub fn output_schema<T: JsonSchema>() -> Schema {
    schema::<T>(SchemaSettings::draft2020_12().for_serialize())
}

/// Returns the schema of a type, without the draft (part of the contract) and the Rust type name (unhelpful for
/// models).
fn schema<T: JsonSchema>(mut settings: SchemaSettings) -> Schema {
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema
}
