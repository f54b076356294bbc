//! Encodes events as the frames of each protocol.

use crate::event::{ModelEvent, StopReason, Usage};
use crate::protocol::Protocol;
use serde_json::{Value, json};

/// Encodes an answer as an event stream of this protocol. Without a [`ModelEvent::Finished`] its end is missing.
pub fn stream_of(protocol: Protocol, events: &[ModelEvent]) -> String {
    match protocol {
        Protocol::ChatCompletions => chat(events),
        Protocol::Responses => responses(events),
        Protocol::Messages => messages(events),
    }
}

fn data(frame: &Value) -> String {
    format!("data: {frame}\n\n")
}

fn named(frame: &Value) -> String {
    format!("event: {}\n{}", frame["type"].as_str().unwrap_or_default(), data(frame))
}

/// Splits a text in two, as arguments are streamed in pieces.
fn halves(text: &str) -> [&str; 2] {
    let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (first, second) = text.split_at(middle);
    [first, second]
}

fn chat(events: &[ModelEvent]) -> String {
    let chunk = |delta: Value, reason: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
        data(&json!({"id": "chat-1", "object": "chat.completion.chunk", "choices": [choice]}))
    };
    let mut out = chunk(json!({"role": "assistant", "content": null}), Value::Null);
    let (mut calls, mut usage) = (0, None);
    for event in events {
        match event {
            ModelEvent::Text(text) => out += &chunk(json!({"content": text}), Value::Null),
            ModelEvent::Reasoning(text) => out += &chunk(json!({"reasoning_content": text}), Value::Null),
            ModelEvent::ToolCall(call) => {
                let function = json!({"name": call.name, "arguments": ""});
                let begin = json!({"index": calls, "id": call.id, "type": "function", "function": function});
                out += &chunk(json!({"tool_calls": [begin]}), Value::Null);
                for half in halves(&call.arguments) {
                    let more = json!({"index": calls, "function": {"arguments": half}});
                    out += &chunk(json!({"tool_calls": [more]}), Value::Null);
                }
                calls += 1;
            }
            ModelEvent::Usage(used) => usage = Some(*used),
            ModelEvent::ProviderState(_) => {}
            ModelEvent::Finished(reason) => {
                let reason = match reason {
                    StopReason::EndTurn => "stop",
                    StopReason::ToolCalls => "tool_calls",
                    StopReason::MaxOutputTokens => "length",
                    StopReason::Refusal => "content_filter",
                    StopReason::Other(word) => word,
                };
                out += &chunk(json!({}), json!(reason));
                if let Some(Usage { input_tokens, output_tokens, .. }) = usage {
                    let usage = json!({"prompt_tokens": input_tokens, "completion_tokens": output_tokens});
                    out += &data(&json!({"id": "chat-1", "choices": [], "usage": usage}));
                }
                out += "data: [DONE]\n\n";
            }
        }
    }
    out
}

fn responses(events: &[ModelEvent]) -> String {
    let mut out =
        named(&json!({"type": "response.created", "response": {"id": "resp-1", "status": "in_progress"}}));
    let mut usage = None;
    for (index, event) in events.iter().enumerate() {
        match event {
            ModelEvent::Text(text) => {
                out += &named(
                    &json!({"type": "response.output_text.delta", "output_index": index, "delta": text}),
                );
            }
            ModelEvent::Reasoning(text) => {
                let kind = "response.reasoning_summary_text.delta";
                out += &named(&json!({"type": kind, "output_index": index, "delta": text}));
            }
            ModelEvent::ToolCall(call) => {
                let item = |arguments: &str| {
                    json!({
                        "type": "function_call",
                        "id": "fc-1",
                        "call_id": call.id,
                        "name": call.name,
                        "arguments": arguments,
                    })
                };
                let added = "response.output_item.added";
                out += &named(&json!({"type": added, "output_index": index, "item": item("")}));
                for half in halves(&call.arguments) {
                    let kind = "response.function_call_arguments.delta";
                    out += &named(&json!({"type": kind, "output_index": index, "delta": half}));
                }
                let done = "response.output_item.done";
                out += &named(&json!({"type": done, "output_index": index, "item": item(&call.arguments)}));
            }
            ModelEvent::Usage(used) => usage = Some(*used),
            ModelEvent::ProviderState(_) => {}
            ModelEvent::Finished(reason) => {
                let why = match reason {
                    StopReason::EndTurn | StopReason::ToolCalls => None,
                    StopReason::MaxOutputTokens => Some("max_output_tokens"),
                    StopReason::Refusal => Some("content_filter"),
                    StopReason::Other(word) => Some(word.as_str()),
                };
                let status = if why.is_some() { "incomplete" } else { "completed" };
                let usage = usage.map(|used: Usage| {
                    json!({"input_tokens": used.input_tokens, "output_tokens": used.output_tokens})
                });
                let details = why.map(|reason| json!({"reason": reason}));
                let response = json!({"status": status, "incomplete_details": details, "usage": usage});
                out += &named(&json!({"type": format!("response.{status}"), "response": response}));
            }
        }
    }
    out
}

fn messages(events: &[ModelEvent]) -> String {
    let used = events.iter().rev().find_map(|event| match event {
        ModelEvent::Usage(used) => Some(*used),
        _ => None,
    });
    let start = json!({"id": "msg-1", "role": "assistant", "content": [],
        "usage": used.map(|used| json!({"input_tokens": used.input_tokens, "output_tokens": 1}))});
    let mut out = named(&json!({"type": "message_start", "message": start}));
    out += &named(&json!({"type": "ping"}));
    for (index, event) in events.iter().enumerate() {
        let mut block = |block: Value, deltas: Vec<Value>| {
            out += &named(&json!({"type": "content_block_start", "index": index, "content_block": block}));
            for delta in deltas {
                out += &named(&json!({"type": "content_block_delta", "index": index, "delta": delta}));
            }
            out += &named(&json!({"type": "content_block_stop", "index": index}));
        };
        match event {
            ModelEvent::Text(text) => {
                block(json!({"type": "text", "text": ""}), vec![json!({"type": "text_delta", "text": text})]);
            }
            ModelEvent::Reasoning(text) => {
                let delta = json!({"type": "thinking_delta", "thinking": text});
                block(json!({"type": "thinking", "thinking": ""}), vec![delta]);
            }
            ModelEvent::ToolCall(call) => {
                let begin = json!({"type": "tool_use", "id": call.id, "name": call.name, "input": {}});
                let delta = |half: &str| json!({"type": "input_json_delta", "partial_json": half});
                block(begin, halves(&call.arguments).map(delta).into());
            }
            ModelEvent::Usage(_) | ModelEvent::ProviderState(_) => {}
            ModelEvent::Finished(reason) => {
                let reason = match reason {
                    StopReason::EndTurn => "end_turn",
                    StopReason::ToolCalls => "tool_use",
                    StopReason::MaxOutputTokens => "max_tokens",
                    StopReason::Refusal => "refusal",
                    StopReason::Other(word) => word,
                };
                let usage = used.map(|used| json!({"output_tokens": used.output_tokens}));
                let delta = json!({"stop_reason": reason, "stop_sequence": null});
                out += &named(&json!({"type": "message_delta", "delta": delta, "usage": usage}));
                out += &named(&json!({"type": "message_stop"}));
            }
        }
    }
    out
}
