//! Small-model mode: the router ranks tools, the model fills in the arguments of one of them, and a person confirms.

use palyra_common::JsonText;
use palyra_models::{Message, ModelAnswer, ModelRequest, ToolCall, ToolChoice, ToolSpec};
use serde_json::{Value, json};

use crate::run::RunState;
use crate::tool::ToolCard;

/// Number of tools of the router that the model chooses from.
pub const SMALL_MODEL_TOOLS: usize = 5;

const SYSTEM: &str = "Choose the one tool that does what the person asks, and take its arguments from the person's words. \
Write nothing that the person did not say. Leave out what is optional and not said.";
const AS_JSON: &str =
    "Answer with one JSON object: `name` is the name of the tool, `arguments` are its arguments.";

/// Encoding of the call in the answer of a small model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmallForm {
    /// JSON text, under a schema that the server enforces.
    Json,
    /// A native tool call.
    Tools,
}

/// Returns the request for a call of one of the tools that the router ranked first; the model cannot answer anything
/// else.
pub fn small_request(run: &RunState, tools: &[&ToolCard], form: SmallForm) -> ModelRequest {
    let request = ModelRequest {
        model: run.model.clone().unwrap_or_default(),
        system: SYSTEM.to_owned(),
        messages: vec![Message::user(run.text.clone())],
        temperature: Some(0.0),
        ..ModelRequest::default()
    };
    match form {
        SmallForm::Tools => {
            let specs = tools.iter().map(|tool| ToolSpec {
                name: tool.model_name.clone(),
                description: tool.description.clone(),
                input_schema: JsonText::from(&tool.input_schema),
            });
            ModelRequest { tools: specs.collect(), tool_choice: ToolChoice::Required, ..request }
        }
        SmallForm::Json => {
            let described: Vec<Value> = tools
                .iter()
                .map(|tool| {
                    json!({ "name": tool.model_name, "description": tool.description,
                        "parameters": tool.input_schema })
                })
                .collect();
            let call = |tool: &&ToolCard| {
                json!({ "type": "object", "required": ["name", "arguments"], "additionalProperties": false,
                    "properties": { "name": { "const": tool.model_name }, "arguments": tool.input_schema } })
            };
            let schema = match tools {
                [only] => call(only),
                several => json!({ "anyOf": several.iter().map(call).collect::<Vec<_>>() }),
            };
            let listed = JsonText::from(&Value::Array(described));
            let system = format!("{SYSTEM} {AS_JSON}\nTools: {}", listed.as_str());
            ModelRequest { system, response_schema: Some(JsonText::from(&schema)), ..request }
        }
    }
}

/// Returns the proposed call of an answer, from a tool call or from JSON text.
pub(crate) fn proposed_call(answer: &ModelAnswer) -> Option<ToolCall> {
    if let Some(call) = answer.tool_calls.first() {
        return Some(call.clone());
    }
    let read: Value = serde_json::from_str(answer.text.trim()).ok()?;
    let name = read.get("name").and_then(Value::as_str)?.to_owned();
    let arguments = JsonText::from(read.get("arguments")?).as_str().to_owned();
    Some(ToolCall { id: String::new(), name, arguments })
}
