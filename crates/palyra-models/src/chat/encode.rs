//! A request as chat completions.

use crate::error::ModelError;
use crate::json::{json_of, put};
use crate::message::{Message, ToolCall};
use crate::protocol::Protocol;
use crate::provider_state::ProviderState;
use crate::request::{ModelRequest, ToolChoice};
use serde_json::{Value, json};

/// Encodes a request; `is_openai` uses the parameter name that OpenAI's own server expects.
pub(crate) fn encode(request: &ModelRequest, is_openai: bool) -> Result<Value, ModelError> {
    let mut messages = Vec::with_capacity(request.messages.len() + 1);
    if !request.system.is_empty() {
        messages.push(json!({"role": "system", "content": request.system}));
    }
    messages.extend(request.messages.iter().map(|message| encode_message(message, &request.model)));
    let mut body = json!({
        "model": request.model,
        "messages": messages,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    let max_tokens = if is_openai { "max_completion_tokens" } else { "max_tokens" };
    put(&mut body, max_tokens, request.max_output_tokens);
    put(&mut body, "temperature", request.temperature);
    if let Some(schema) = &request.response_schema {
        let schema = json!({"name": "answer", "schema": json_of(schema)?});
        put(&mut body, "response_format", Some(json!({"type": "json_schema", "json_schema": schema})));
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
        let function = json!({"name": tool.name, "description": tool.description, "parameters": schema});
        Ok(json!({"type": "function", "function": function}))
    };
    request.tools.iter().map(tool).collect()
}

fn tool_choice(choice: &ToolChoice) -> Value {
    match choice {
        ToolChoice::Auto => json!("auto"),
        ToolChoice::None => json!("none"),
        ToolChoice::Required => json!("required"),
        ToolChoice::Tool(name) => json!({"type": "function", "function": {"name": name}}),
    }
}

fn encode_message(message: &Message, model: &str) -> Value {
    match message {
        Message::User { text } => json!({"role": "user", "content": text}),
        Message::ToolResult { call_id, text, is_error: _ } => {
            json!({"role": "tool", "tool_call_id": call_id, "content": text})
        }
        Message::Assistant { text, tool_calls, provider_state } => {
            let mut encoded = json!({"role": "assistant", "content": text});
            if !tool_calls.is_empty() {
                put(&mut encoded, "tool_calls", Some(tool_calls.iter().map(encode_call).collect::<Vec<_>>()));
            }
            let state = provider_state.as_deref();
            let state = ProviderState::content_for(state, Protocol::ChatCompletions, model);
            put(&mut encoded, "reasoning_content", state);
            encoded
        }
    }
}

fn encode_call(call: &ToolCall) -> Value {
    let function = json!({"name": call.name, "arguments": call.arguments});
    json!({"id": call.id, "type": "function", "function": function})
}
