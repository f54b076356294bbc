//! A request of the Messages API.

use crate::error::ModelError;
use crate::json::{arguments_object, json_of, put};
use crate::message::{Message, ToolCall};
use crate::protocol::Protocol;
use crate::provider_state::ProviderState;
use crate::request::{ModelRequest, ToolChoice};
use serde_json::{Value, json};

/// The protocol requires a limit in every request; every model supports this one.
const DEFAULT_MAX_TOKENS: u32 = 4096;

/// Encodes the body of a request.
pub(crate) fn encode(request: &ModelRequest) -> Result<Value, ModelError> {
    let mut body = json!({
        "model": request.model,
        "messages": encode_messages(request),
        "max_tokens": request.max_output_tokens.unwrap_or(DEFAULT_MAX_TOKENS),
        "stream": true,
    });
    if !request.system.is_empty() {
        put(&mut body, "system", Some(&request.system));
    }
    put(&mut body, "temperature", request.temperature);
    if let Some(schema) = &request.response_schema {
        let format = json!({"type": "json_schema", "schema": json_of(schema)?});
        put(&mut body, "output_config", Some(json!({"format": format})));
    }
    if !request.tools.is_empty() {
        put(&mut body, "tools", Some(tools(request)?));
        put(&mut body, "tool_choice", Some(tool_choice(&request.tool_choice)));
    }
    Ok(body)
}

fn tools(request: &ModelRequest) -> Result<Vec<Value>, ModelError> {
    let tool = |tool: &crate::ToolSpec| {
        let schema = json_of(&tool.input_schema)?;
        Ok(json!({"name": tool.name, "description": tool.description, "input_schema": schema}))
    };
    request.tools.iter().map(tool).collect()
}

fn tool_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!({"type": "auto"}),
        ToolChoice::None => json!({"type": "none"}),
        ToolChoice::Required => json!({"type": "any"}),
        ToolChoice::Tool(name) => json!({"type": "tool", "name": name}),
    }
}

/// Encodes the messages.
///
/// Consecutive messages of one role are merged, as the protocol requires for the results of several calls. Empty texts
/// are left out because the provider refuses them.
fn encode_messages(request: &ModelRequest) -> Vec<Value> {
    let mut messages: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in &request.messages {
        let (role, blocks) = blocks_of(message, &request.model);
        match messages.last_mut() {
            _ if blocks.is_empty() => {}
            Some((last, content)) if *last == role => content.extend(blocks),
            _ => messages.push((role, blocks)),
        }
    }
    messages.into_iter().map(|(role, content)| json!({"role": role, "content": content})).collect()
}

fn blocks_of(message: &Message, model: &str) -> (&'static str, Vec<Value>) {
    match message {
        Message::User { text } => ("user", text_block(text).into_iter().collect()),
        Message::ToolResult { call_id, text, is_error } => {
            let mut block = json!({"type": "tool_result", "tool_use_id": call_id, "content": text});
            put(&mut block, "is_error", is_error.then_some(true));
            ("user", vec![block])
        }
        Message::Assistant { text, tool_calls, provider_state } => {
            let state = provider_state.as_deref();
            let mut blocks = match ProviderState::content_for(state, Protocol::Messages, model) {
                Some(Value::Array(blocks)) => blocks,
                _ => Vec::new(),
            };
            blocks.extend(text_block(text));
            blocks.extend(tool_calls.iter().map(call_block));
            ("assistant", blocks)
        }
    }
}

fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

fn call_block(call: &ToolCall) -> Value {
    let input = arguments_object(&call.arguments);
    json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input})
}
