//! A request of the Responses API.

use crate::error::ModelError;
use crate::json::{json_of, put};
use crate::message::Message;
use crate::protocol::Protocol;
use crate::provider_state::ProviderState;
use crate::request::{ModelRequest, ToolChoice};
use serde_json::{Value, json};

/// Encodes a request; `is_openai` asks for encrypted reasoning, which OpenAI's own server returns.
pub(crate) fn encode(request: &ModelRequest, is_openai: bool) -> Result<Value, ModelError> {
    let input: Vec<Value> =
        request.messages.iter().flat_map(|message| encode_message(message, &request.model)).collect();
    let mut body = json!({"model": request.model, "input": input, "stream": true, "store": false});
    if !request.system.is_empty() {
        put(&mut body, "instructions", Some(&request.system));
    }
    put(&mut body, "max_output_tokens", request.max_output_tokens);
    put(&mut body, "temperature", request.temperature);
    put(&mut body, "include", is_openai.then_some(["reasoning.encrypted_content"]));
    if let Some(schema) = &request.response_schema {
        let format = json!({"type": "json_schema", "name": "answer", "schema": json_of(schema)?});
        put(&mut body, "text", Some(json!({"format": format})));
    }
    if !request.tools.is_empty() {
        put(&mut body, "tools", Some(tools(request)?));
        put(&mut body, "tool_choice", Some(tool_choice(&request.tool_choice)));
    }
    Ok(body)
}

fn tools(request: &ModelRequest) -> Result<Vec<Value>, ModelError> {
    let tool = |tool: &crate::ToolSpec| {
        Ok(json!({
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": json_of(&tool.input_schema)?,
            "strict": false,
        }))
    };
    request.tools.iter().map(tool).collect()
}

fn tool_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!({"type": "function", "name": name}),
    }
}

/// Returns the items of a message: the provider's state, the text, then the calls.
fn encode_message(message: &Message, model: &str) -> Vec<Value> {
    match message {
        Message::User { text } => {
            let content = json!([{"type": "input_text", "text": text}]);
            vec![json!({"type": "message", "role": "user", "content": content})]
        }
        Message::ToolResult { call_id, text, is_error: _ } => {
            vec![json!({"type": "function_call_output", "call_id": call_id, "output": text})]
        }
        Message::Assistant { text, tool_calls, provider_state } => {
            let state = provider_state.as_deref();
            let mut items = match ProviderState::content_for(state, Protocol::Responses, model) {
                Some(Value::Array(items)) => items,
                _ => Vec::new(),
            };
            if !text.is_empty() {
                let content = json!([{"type": "output_text", "text": text}]);
                items.push(json!({"type": "message", "role": "assistant", "content": content}));
            }
            items.extend(tool_calls.iter().map(|call| {
                json!({
                    "type": "function_call",
                    "call_id": call.id,
                    "name": call.name,
                    "arguments": call.arguments,
                })
            }));
            items
        }
    }
}
