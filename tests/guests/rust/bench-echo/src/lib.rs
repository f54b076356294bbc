//! The cheapest component: every tool returns its input, with nothing between it and the contract.
#![cfg(target_arch = "wasm32")]

use palyra_plugins_sdk::raw::{exports, types::ToolError};

struct Echo;

impl exports::tools::Guest for Echo {
    fn invoke(_tool_id: String, input_json: String) -> Result<String, ToolError> {
        Ok(input_json)
    }
}

exports::export_tools!(Echo);
