//! The JSON of `describe`.

use super::{HookEntry, ToolEntry};
use serde_json::{Value, json};

/// Returns `{"tools":[…],"hooks":[…]}`, in the order of registration.
pub(super) fn describe(tools: &[ToolEntry], hooks: &[HookEntry]) -> String {
    let tools: Vec<Value> = tools.iter().map(tool).collect();
    let hooks: Vec<Value> =
        hooks.iter().map(|hook| json!({ "id": hook.id, "events": hook.events })).collect();
    json!({ "tools": tools, "hooks": hooks }).to_string()
}

fn tool(tool: &ToolEntry) -> Value {
    json!({
        "id": tool.id,
        "description": tool.description,
        "input_schema": (tool.input_schema)(),
        "output_schema": (tool.output_schema)(),
    })
}
