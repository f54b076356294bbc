//! Responses of chat completions, as a stream of chunks or as one object.

use crate::error::ModelError;
use crate::event::{StopReason, Usage};
use crate::failure::{ErrorBody, failure_in_stream};
use crate::stream::{Decoder, Output, PartialCalls, SseFrame};
use palyra_common::JsonText;
use serde::Deserialize;
use serde_json::Value;

/// Decodes chunks. The end of the answer is delayed until the usage, which follows it, was received.
#[derive(Debug, Default)]
pub(crate) struct ChatDecoder {
    calls: PartialCalls,
    reasoning: String,
    stop: Option<StopReason>,
}

#[derive(Debug, Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<ChatUsage>,
    error: Option<ErrorBody>,
}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(default)]
    index: u64,
    /// `message` in a response that is not streamed.
    #[serde(alias = "message")]
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Delta {
    content: Option<Content>,
    /// The field of DeepSeek, vLLM and llama.cpp.
    reasoning_content: Option<String>,
    /// The field of Ollama and of routers.
    reasoning: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Vec<CallDelta>>,
}

/// Text, or the parts that some servers send.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Parts(Vec<ContentPart>),
}

#[derive(Debug, Deserialize)]
struct ContentPart {
    #[serde(default)]
    text: String,
}

#[derive(Debug, Deserialize)]
struct CallDelta {
    index: Option<u64>,
    id: Option<String>,
    function: Option<FunctionDelta>,
}

#[derive(Debug, Deserialize)]
struct FunctionDelta {
    name: Option<String>,
    arguments: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct ChatUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
    prompt_tokens_details: Option<PromptDetails>,
    completion_tokens_details: Option<CompletionDetails>,
}

#[derive(Debug, Deserialize)]
struct PromptDetails {
    cached_tokens: Option<u64>,
}

#[derive(Debug, Deserialize)]
struct CompletionDetails {
    reasoning_tokens: Option<u64>,
}

impl Decoder for ChatDecoder {
    fn frame(&mut self, frame: &SseFrame, output: &mut Output) -> Result<(), ModelError> {
        if frame.data.trim() == "[DONE]" {
            // Some servers never give a reason, but this is an end.
            self.stop.get_or_insert(StopReason::EndTurn);
            return self.end(output).map(drop);
        }
        let chunk: Chunk = frame.json()?;
        if let Some(error) = chunk.error {
            return Err(failure_in_stream(error));
        }
        for choice in chunk.choices.into_iter().filter(|choice| choice.index == 0) {
            self.choice(choice, frame, output)?;
        }
        if let Some(usage) = chunk.usage {
            output.usage(usage.into());
        }
        Ok(())
    }

    fn whole(&mut self, body: &SseFrame, output: &mut Output) -> Result<(), ModelError> {
        self.frame(body, output)
    }

    fn end(&mut self, output: &mut Output) -> Result<bool, ModelError> {
        let Some(stop) = self.stop.take() else { return Ok(false) };
        for call in self.calls.take_all() {
            // A call that was cut off by the token limit is incomplete and dropped.
            if stop != StopReason::MaxOutputTokens || JsonText::parse(call.arguments.as_str()).is_ok() {
                output.call(call)?;
            }
        }
        // Servers that send reasoning here expect it back in the next request if a call interrupted it.
        if output.has_calls() && !self.reasoning.is_empty() {
            output.provider_state(Value::String(std::mem::take(&mut self.reasoning)));
        }
        output.finish(stop)?;
        Ok(true)
    }
}

impl ChatDecoder {
    fn choice(&mut self, choice: Choice, frame: &SseFrame, output: &mut Output) -> Result<(), ModelError> {
        if let Some(delta) = choice.delta {
            self.delta(delta, frame, output)?;
        }
        if let Some(reason) = choice.finish_reason
            && self.stop.is_none()
        {
            self.stop = Some(match reason.as_str() {
                "stop" | "eos" => StopReason::EndTurn,
                "tool_calls" | "function_call" => StopReason::ToolCalls,
                "length" => StopReason::MaxOutputTokens,
                "content_filter" => StopReason::Refusal,
                _ => StopReason::Other(reason),
            });
        }
        Ok(())
    }

    fn delta(&mut self, delta: Delta, frame: &SseFrame, output: &mut Output) -> Result<(), ModelError> {
        let Delta { content, reasoning_content, reasoning, refusal, tool_calls } = delta;
        let text = match content {
            None => String::new(),
            Some(Content::Text(text)) => text,
            Some(Content::Parts(parts)) => parts.into_iter().map(|part| part.text).collect(),
        };
        let refusal = refusal.unwrap_or_default();
        let calls = tool_calls.unwrap_or_default();
        if self.stop.is_some() && !(text.is_empty() && refusal.is_empty() && calls.is_empty()) {
            return Err(frame.malformed("the response continues after its end"));
        }
        if let Some(reasoning) = reasoning_content {
            output.reasoning(&reasoning)?;
            self.reasoning.push_str(&reasoning);
        } else if let Some(reasoning) = reasoning {
            output.reasoning(&reasoning)?;
        }
        output.text(&text)?;
        output.text(&refusal)?;
        calls.into_iter().try_for_each(|call| self.call(call, frame))
    }

    fn call(&mut self, delta: CallDelta, frame: &SseFrame) -> Result<(), ModelError> {
        let id = delta.id.unwrap_or_default();
        let (name, arguments) = match delta.function {
            None => (String::new(), String::new()),
            Some(function) => (function.name.unwrap_or_default(), arguments_text(function.arguments)),
        };
        // Without an index, a part with a name starts a new call, and one without continues the last.
        let next = || self.calls.last_key().map_or(0, |last| last + u64::from(!name.is_empty()));
        let key = delta.index.unwrap_or_else(next);
        self.calls.add(key, &id, &name, &arguments, frame)
    }
}

fn arguments_text(arguments: Option<Value>) -> String {
    match arguments {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text,
        Some(value) => value.to_string(),
    }
}

impl From<ChatUsage> for Usage {
    fn from(usage: ChatUsage) -> Self {
        let cached = usage.prompt_tokens_details.and_then(|details| details.cached_tokens);
        let reasoning = usage.completion_tokens_details.and_then(|details| details.reasoning_tokens);
        Self {
            input_tokens: usage.prompt_tokens,
            output_tokens: usage.completion_tokens,
            cached_input_tokens: cached.unwrap_or_default(),
            reasoning_tokens: reasoning.unwrap_or_default(),
        }
    }
}
