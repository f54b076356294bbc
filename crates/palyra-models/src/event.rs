//! What a model answers, piece by piece.

use crate::message::ToolCall;
use serde::{Deserialize, Serialize};

/// One event of an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum ModelEvent {
    /// More text of the answer.
    Text(String),
    /// More of what the model shows of its reasoning.
    Reasoning(String),
    /// A complete tool call.
    ToolCall(ToolCall),
    /// What the request has used so far; a later one replaces an earlier one.
    Usage(Usage),
    /// An opaque record of the provider, such as signed reasoning, to send back with the message
    /// ([`Message::Assistant`](crate::Message::Assistant)). A later one replaces an earlier one.
    ProviderState(String),
    /// The answer is complete; always the last event.
    Finished(StopReason),
}

/// Tokens used by one request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request, cached ones included.
    pub input_tokens: u64,
    /// Tokens of the answer, reasoning included.
    pub output_tokens: u64,
    /// Tokens of the request that the provider had in its cache.
    #[serde(default)]
    pub cached_input_tokens: u64,
    /// Tokens of the answer that were reasoning.
    #[serde(default)]
    pub reasoning_tokens: u64,
}

impl Usage {
    /// The sum with another request.
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cached_input_tokens: self.cached_input_tokens.saturating_add(other.cached_input_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(other.reasoning_tokens),
        }
    }
}

/// Why a response ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model was done.
    EndTurn,
    /// The model waits for the results of its calls.
    ToolCalls,
    /// The limit on output tokens was reached; the answer is cut off.
    MaxOutputTokens,
    /// The provider or the model declined to answer.
    Refusal,
    /// Something else, in the word of the provider.
    Other(String),
}
