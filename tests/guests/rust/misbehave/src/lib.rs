//! One tool per bad behaviour, on the bare contract so that nothing corrects it.
#![cfg(target_arch = "wasm32")]

mod behaviour;
mod parameters;

use palyra_plugins_sdk::raw::{exports, types::ToolError};

struct Misbehave;

impl exports::tools::Guest for Misbehave {
    fn invoke(tool_id: String, input_json: String) -> Result<String, ToolError> {
        behaviour::misbehave(&tool_id, &input_json).map_err(Into::into)
    }
}

exports::export_tools!(Misbehave);
