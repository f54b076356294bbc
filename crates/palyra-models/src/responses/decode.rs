//! Responses of the Responses API.

use crate::error::ModelError;
use crate::event::{StopReason, Usage};
use crate::failure::{ErrorBody, failure_in_stream};
use crate::limits::MAX_TOOL_CALLS;
use crate::message::ToolCall;
use crate::stream::{Decoder, Output, PartialCalls, SseFrame};
use serde::Deserialize;
use serde_json::Value;

/// Decodes events. The content of a finished item replaces its deltas.
#[derive(Debug, Default)]
pub(crate) struct ResponsesDecoder {
    calls: PartialCalls,
    /// Ids of the calls a server does not number.
    unnumbered: Vec<String>,
    /// Reasoning that the provider expects back.
    reasoning_items: Vec<Value>,
    refused: bool,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type")]
enum Event {
    #[serde(rename = "response.output_text.delta")]
    Text { delta: String },
    #[serde(rename = "response.refusal.delta")]
    Refusal { delta: String },
    #[serde(rename = "response.reasoning_text.delta", alias = "response.reasoning_summary_text.delta")]
    Reasoning { delta: String },
    #[serde(rename = "response.output_item.added")]
    ItemAdded { output_index: Option<u64>, item: Item },
    #[serde(rename = "response.function_call_arguments.delta")]
    Arguments {
        output_index: Option<u64>,
        #[serde(default)]
        item_id: String,
        delta: String,
    },
    #[serde(rename = "response.output_item.done")]
    ItemDone { output_index: Option<u64>, item: Value },
    #[serde(rename = "response.completed", alias = "response.incomplete", alias = "response.done")]
    Ended { response: Response },
    #[serde(rename = "response.failed")]
    Failed { response: FailedResponse },
    #[serde(rename = "error")]
    Error(ErrorBody),
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Item {
    FunctionCall(FunctionCall),
    Message {
        #[serde(default)]
        content: Vec<Part>,
    },
    #[serde(other)]
    Other,
}

#[derive(Debug, Deserialize)]
struct FunctionCall {
    #[serde(default)]
    id: String,
    #[serde(default)]
    call_id: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    arguments: String,
}

#[derive(Debug, Deserialize)]
struct Part {
    #[serde(default, alias = "refusal")]
    text: String,
}

#[derive(Debug, Deserialize)]
struct Response {
    status: Option<String>,
    incomplete_details: Option<Incomplete>,
    #[serde(default)]
    output: Vec<Value>,
    usage: Option<ResponseUsage>,
    error: Option<ErrorBody>,
}

#[derive(Debug, Deserialize)]
struct FailedResponse {
    error: Option<ErrorBody>,
}

#[derive(Debug, Deserialize)]
struct Incomplete {
    reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct ResponseUsage {
    #[serde(default)]
    input_tokens: u64,
    #[serde(default)]
    output_tokens: u64,
    input_tokens_details: Option<InputDetails>,
    output_tokens_details: Option<OutputDetails>,
}

#[derive(Debug, Deserialize)]
struct InputDetails {
    cached_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct OutputDetails {
    reasoning_tokens: Option<u64>,
}

impl Decoder for ResponsesDecoder {
    fn frame(&mut self, frame: &SseFrame, output: &mut Output) -> Result<(), ModelError> {
        if frame.data.trim() == "[DONE]" {
            return Ok(());
        }
        match frame.json()? {
            Event::Text { delta } => output.text(&delta),
            Event::Refusal { delta } => {
                self.refused = true;
                output.text(&delta)
            }
            Event::Reasoning { delta } => output.reasoning(&delta),
            Event::ItemAdded { output_index, item: Item::FunctionCall(call) } => {
                let key = self.key(output_index, &call.id);
                self.calls.add(key, &call.call_id, &call.name, "", frame)
            }
            Event::Arguments { output_index, item_id, delta } => {
                let key = self.key(output_index, &item_id);
                self.calls.add(key, "", "", &delta, frame)
            }
            Event::ItemDone { output_index, item } => {
                self.item(Source::Stream(output_index), item, frame, output)
            }
            Event::Ended { response } => self.ended(response, frame, output),
            Event::Failed { response } => Err(failure_in_stream(response.error.unwrap_or_default())),
            Event::Error(error) => Err(failure_in_stream(error)),
            Event::ItemAdded { .. } | Event::Other => Ok(()),
        }
    }

    fn whole(&mut self, body: &SseFrame, output: &mut Output) -> Result<(), ModelError> {
        let response: Response = body.json()?;
        self.ended(response, body, output)
    }

    /// Returns whether the provider sent its own final event, which is the only valid end of this protocol.
    fn end(&mut self, output: &mut Output) -> Result<bool, ModelError> {
        Ok(output.is_finished())
    }
}

/// The source of a finished item.
#[derive(Clone, Copy)]
enum Source {
    /// An event of the stream, with the index of the item if the server sends one. Its text was already sent in deltas.
    Stream(Option<u64>),
    /// A complete response that was not streamed.
    Whole,
}

impl ResponsesDecoder {
    /// Returns the key of a call: the server's index, or a number derived from its id, because llama.cpp sends no
    /// index.
    fn key(&mut self, index: Option<u64>, id: &str) -> u64 {
        const UNNUMBERED: u64 = 1 << 32;
        index.unwrap_or_else(|| {
            let known = self.unnumbered.iter().position(|known| known == id);
            let at = known.unwrap_or_else(|| {
                // Beyond the limit of calls the next part is rejected, so the list grows no further.
                self.unnumbered.truncate(MAX_TOOL_CALLS);
                self.unnumbered.push(id.to_owned());
                self.unnumbered.len() - 1
            });
            UNNUMBERED + at as u64
        })
    }

    /// Processes a finished item.
    fn item(
        &mut self,
        source: Source,
        item: Value,
        frame: &SseFrame,
        output: &mut Output,
    ) -> Result<(), ModelError> {
        if item.get("type").and_then(Value::as_str) == Some("reasoning") {
            if item.get("encrypted_content").is_some_and(Value::is_string) {
                self.reasoning_items.push(item);
            }
            return Ok(());
        }
        match serde_json::from_value(item).map_err(|error| frame.malformed(error.to_string()))? {
            Item::FunctionCall(call) => {
                let partial = match source {
                    Source::Whole => None,
                    Source::Stream(index) => {
                        let key = self.key(index, &call.id);
                        self.calls.take(key)
                    }
                };
                let arguments = match (call.arguments, partial) {
                    (arguments, Some(partial)) if arguments.is_empty() => partial.arguments,
                    (arguments, _) => arguments,
                };
                output.call(ToolCall { id: call.call_id, name: call.name, arguments })
            }
            Item::Message { content } if matches!(source, Source::Whole) => {
                content.iter().try_for_each(|part| output.text(&part.text))
            }
            Item::Message { .. } | Item::Other => Ok(()),
        }
    }

    fn ended(&mut self, response: Response, frame: &SseFrame, output: &mut Output) -> Result<(), ModelError> {
        if let Some(error) = response.error {
            return Err(failure_in_stream(error));
        }
        // A server that sent no earlier events puts everything here.
        if !output.has_content() {
            for item in response.output {
                self.item(Source::Whole, item, frame, output)?;
            }
        }
        let incomplete = response.incomplete_details.and_then(|details| details.reason);
        let is_cut = incomplete.is_some() || response.status.as_deref() == Some("incomplete");
        for call in self.calls.take_all().into_iter().filter(|_| !is_cut) {
            output.call(call)?;
        }
        if !self.reasoning_items.is_empty() {
            output.provider_state(Value::Array(std::mem::take(&mut self.reasoning_items)));
        }
        if let Some(usage) = response.usage {
            output.usage(usage.into());
        }
        output.finish(match incomplete.as_deref() {
            None | Some("max_output_tokens") if is_cut => StopReason::MaxOutputTokens,
            Some("content_filter") => StopReason::Refusal,
            Some(reason) => StopReason::Other(reason.to_owned()),
            None if self.refused => StopReason::Refusal,
            None => StopReason::EndTurn,
        })
    }
}

impl From<ResponseUsage> for Usage {
    fn from(usage: ResponseUsage) -> Self {
        let cached = usage.input_tokens_details.and_then(|details| details.cached_tokens);
        let reasoning = usage.output_tokens_details.and_then(|details| details.reasoning_tokens);
        Self {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            cached_input_tokens: cached.unwrap_or_default(),
            reasoning_tokens: reasoning.unwrap_or_default(),
        }
    }
}
