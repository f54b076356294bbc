//! What the expansion of `#[tool]` calls; not for authors.

use super::error::ToolError;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

// The input of a tool that takes nothing; a doc comment would become part of its schema.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NoInput {}

/// A `Result`, so that the macro can name its value.
pub trait Fallible {
    /// What it is when all goes well.
    type Value;
}

impl<T, E> Fallible for Result<T, E> {
    type Value = T;
}

/// Reads the input, or says where it does not fit.
pub fn read_input<T: DeserializeOwned>(input_json: &str) -> Result<T, ToolError> {
    serde_json::from_str(input_json)
        .map_err(|error| ToolError::new(ToolError::INVALID_INPUT, format!("invalid input: {error}")))
}

/// Writes the output.
pub fn write_output<T: Serialize>(output: &T) -> Result<String, ToolError> {
    serde_json::to_string(output)
        .map_err(|error| ToolError::new("invalid_output", format!("the output is not JSON: {error}")))
}

/// The schema of what a tool reads.
pub fn input_schema<T: JsonSchema>() -> Schema {
    schema::<T>(SchemaSettings::draft2020_12().for_deserialize())
}

/// The schema of what a tool writes.
pub fn output_schema<T: JsonSchema>() -> Schema {
    schema::<T>(SchemaSettings::draft2020_12().for_serialize())
}

/// The draft is part of the contract and the name of a Rust type says nothing to a model: both are left out.
fn schema<T: JsonSchema>(mut settings: SchemaSettings) -> Schema {
    settings.meta_schema = None;
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.remove("title");
    schema
}
