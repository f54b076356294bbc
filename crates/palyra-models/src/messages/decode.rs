//! Responses of the Messages API.

use crate::error::ModelError;
use crate::event::{StopReason, Usage};
use crate::failure::{ErrorBody, failure_in_stream};
use crate::limits::{MAX_PROVIDER_STATE_BYTES, MAX_TOOL_CALLS};
use crate::stream::{Decoder, Output, PartialCalls, SseFrame};
use palyra_common::JsonText;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Decodes events; thinking is kept with its signature, because the provider expects it back.
#[derive(Debug, Default)]
pub(crate) struct MessagesDecoder {
    calls: PartialCalls,
    thinking: BTreeMap<u64, Thinking>,
    thinking_bytes: usize,
    stop: Option<StopReason>,
}

#[derive(Debug, Default)]
struct Thinking {
    text: String,
    signature: String,
    redacted: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Start,
    },
    ContentBlockStart {
        index: u64,
        content_block: Block,
    },
    ContentBlockDelta {
        index: u64,
        delta: Delta,
    },
    ContentBlockStop {
        index: u64,
    },
    MessageDelta {
        delta: End,
        usage: Option<MessagesUsage>,
    },
    MessageStop,
    Error {
        error: ErrorBody,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct Start {
    usage: Option<MessagesUsage>,
}

#[derive(Debug, Deserialize)]
struct End {
    stop_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Block {
    Text {
        #[serde(default)]
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
        #[serde(default)]
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        id: String,
        name: String,
        #[serde(default)]
        input: Value,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "input_json_delta")]
    Input { partial_json: String },
    #[serde(rename = "thinking_delta")]
    Thinking { thinking: String },
    #[serde(rename = "signature_delta")]
    Signature { signature: String },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct MessagesUsage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
    cache_read_input_tokens: Option<u64>,
    cache_creation_input_tokens: Option<u64>,
}

/// A response that is not streamed.
#[derive(Debug, Deserialize)]
struct WholeMessage {
    #[serde(default)]
    content: Vec<Block>,
    stop_reason: Option<String>,
    usage: Option<MessagesUsage>,
    error: Option<ErrorBody>,
}

impl Decoder for MessagesDecoder {
    fn frame(&mut self, frame: &SseFrame, output: &mut Output) -> Result<(), ModelError> {
        match frame.json()? {
            Event::MessageStart { message } => use_tokens(message.usage, output),
            Event::ContentBlockStart { index, content_block } => {
                self.block(index, content_block, frame, output)?;
            }
            Event::ContentBlockDelta { index, delta } => self.delta(index, delta, frame, output)?,
            Event::ContentBlockStop { index } => {
                if let Some(call) = self.calls.take(index) {
                    output.call(call)?;
                }
            }
            Event::MessageDelta { delta, usage } => {
                use_tokens(usage, output);
                self.stop = delta.stop_reason.map(stop_reason).or(self.stop.take());
            }
            Event::MessageStop => drop(self.end(output)?),
            Event::Error { error } => return Err(failure_in_stream(error)),
            Event::Other => {}
        }
        Ok(())
    }

    fn whole(&mut self, body: &SseFrame, output: &mut Output) -> Result<(), ModelError> {
        let message: WholeMessage = body.json()?;
        if let Some(error) = message.error {
            return Err(failure_in_stream(error));
        }
        for (index, block) in (0..).zip(message.content) {
            self.block(index, block, body, output)?;
        }
        use_tokens(message.usage, output);
        self.stop = message.stop_reason.map(stop_reason);
        Ok(())
    }

    fn end(&mut self, output: &mut Output) -> Result<bool, ModelError> {
        let Some(stop) = self.stop.take() else { return Ok(false) };
        for call in self.calls.take_all() {
            if stop != StopReason::MaxOutputTokens || JsonText::parse(call.arguments.as_str()).is_ok() {
                output.call(call)?;
            }
        }
        let blocks: Vec<Value> =
            std::mem::take(&mut self.thinking).into_values().filter_map(thinking_block).collect();
        if output.has_calls() && !blocks.is_empty() {
            output.provider_state(Value::Array(blocks));
        }
        output.finish(stop)?;
        Ok(true)
    }
}

impl MessagesDecoder {
    fn block(
        &mut self,
        index: u64,
        block: Block,
        frame: &SseFrame,
        output: &mut Output,
    ) -> Result<(), ModelError> {
        match block {
            Block::Text { text } => output.text(&text),
            Block::Thinking { thinking, signature } => {
                self.think(index, |known| known.signature.push_str(&signature), signature.len());
                self.think(index, |known| known.text.push_str(&thinking), thinking.len());
                output.reasoning(&thinking)
            }
            Block::RedactedThinking { data } => {
                let length = data.len();
                self.think(index, |known| known.redacted = Some(data), length);
                Ok(())
            }
            Block::ToolUse { id, name, input } => {
                // The object is empty in a stream, where its text follows.
                let is_empty = input.as_object().is_none_or(serde_json::Map::is_empty);
                let input = if is_empty { String::new() } else { input.to_string() };
                self.calls.add(index, &id, &name, &input, frame)
            }
            Block::Other => Ok(()),
        }
    }

    fn delta(
        &mut self,
        index: u64,
        delta: Delta,
        frame: &SseFrame,
        output: &mut Output,
    ) -> Result<(), ModelError> {
        match delta {
            Delta::Text { text } => output.text(&text),
            Delta::Input { partial_json } => self.calls.add(index, "", "", &partial_json, frame),
            Delta::Thinking { thinking } => {
                self.think(index, |known| known.text.push_str(&thinking), thinking.len());
                output.reasoning(&thinking)
            }
            Delta::Signature { signature } => {
                self.think(index, |known| known.signature.push_str(&signature), signature.len());
                Ok(())
            }
            Delta::Other => Ok(()),
        }
    }

    /// Appends to a thinking block, unless the blocks exceed the size that can be sent back.
    fn think(&mut self, index: u64, change: impl FnOnce(&mut Thinking), length: usize) {
        self.thinking_bytes = self.thinking_bytes.saturating_add(length);
        let fits = self.thinking_bytes <= MAX_PROVIDER_STATE_BYTES && self.thinking.len() < MAX_TOOL_CALLS;
        if fits {
            change(self.thinking.entry(index).or_default());
        } else {
            self.thinking.clear();
        }
    }
}

/// Returns a thinking block as the provider sent it; without a signature the provider would refuse it.
fn thinking_block(thinking: Thinking) -> Option<Value> {
    match thinking.redacted {
        Some(data) => Some(json!({"type": "redacted_thinking", "data": data})),
        None if thinking.signature.is_empty() => None,
        None => Some(json!({
            "type": "thinking",
            "thinking": thinking.text,
            "signature": thinking.signature,
        })),
    }
}

fn stop_reason(reason: String) -> StopReason {
    match reason.as_str() {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxOutputTokens,
        "refusal" => StopReason::Refusal,
        _ => StopReason::Other(reason),
    }
}

/// Records token counts; those of the start remain until the end reports others.
fn use_tokens(usage: Option<MessagesUsage>, output: &mut Output) {
    let Some(usage) = usage else { return };
    let mut used = output.used();
    if let Some(fresh) = usage.input_tokens {
        let cached = usage.cache_read_input_tokens.unwrap_or_default();
        let written = usage.cache_creation_input_tokens.unwrap_or_default();
        let all = fresh.saturating_add(cached).saturating_add(written);
        used = Usage { input_tokens: all, cached_input_tokens: cached, ..used };
    }
    used.output_tokens = usage.output_tokens.unwrap_or(used.output_tokens);
    output.usage(used);
}
