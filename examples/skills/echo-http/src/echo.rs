//! `palyra.echo_http.echo`: nothing but computation.

use palyra_plugins_sdk::prelude::*;
use palyra_plugins_sdk::{run, serde_json::Value};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EchoInput {
    /// Any JSON value.
    value: Value,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct EchoOutput {
    /// The value that was given.
    value: Value,
    /// The tool that answered.
    tool_id: String,
    /// How long the run's id is; the id itself differs in every run.
    run_id_length: usize,
}

#[tool(id = "palyra.echo_http.echo", description = "Returns the given JSON value unchanged")]
pub(crate) fn echo(input: EchoInput) -> EchoOutput {
    log::debug!("echo of {} bytes", input.value.to_string().len());
    EchoOutput { value: input.value, tool_id: run::tool_id(), run_id_length: run::run_id().len() }
}
