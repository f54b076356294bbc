//! The events of a response.

use crate::message::ToolCall;
use serde::{Deserialize, Serialize};

/// An event of a response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "value", rename_all = "snake_case")]
pub enum ModelEvent {
    /// More text of the response.
    Text(String),
    /// More of the reasoning that the model discloses.
    Reasoning(String),
    /// A complete tool call.
    ToolCall(ToolCall),
    /// The usage so far. Replaces an earlier one.
    Usage(Usage),
    /// An opaque state of the provider, such as signed reasoning, to send back with the message
    /// ([`Message::Assistant`](crate::Message::Assistant)). Replaces an earlier one.
    ProviderState(String),
    /// The response is complete. Always the last event.
    Finished(StopReason),
}

/// Tokens used by one request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the request, including cached ones.
    pub input_tokens: u64,
    /// Tokens of the response, including reasoning.
    pub output_tokens: u64,
    /// Tokens of the request that were in the provider's cache.
    #[serde(default)]
    pub cached_input_tokens: u64,
    /// Tokens of the response that were reasoning.
    #[serde(default)]
    pub reasoning_tokens: u64,
}

impl Usage {
    /// Returns the sum of two usages.
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cached_input_tokens: self.cached_input_tokens.saturating_add(other.cached_input_tokens),
            reasoning_tokens: self.reasoning_tokens.saturating_add(other.reasoning_tokens),
        }
    }
}

/// The reason why a response ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model completed its turn.
    EndTurn,
    /// The model waits for the results of its calls.
    ToolCalls,
    /// The limit of output tokens was reached, so the response is truncated.
    MaxOutputTokens,
    /// The provider or the model refused to respond.
    Refusal,
    /// Another reason, in the provider's term.
    Other(String),
}
