//! Models: the providers an operator set up for the agent.

pub use palyra_common::model::models::ModelPrice;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Response of `GET /v1/models`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelList {
    /// The default model.
    pub default: Option<String>,
    /// The models, by name.
    pub models: Vec<Model>,
}

/// A model and its provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Model {
    /// Name of the model in Palyra.
    pub name: String,
    /// `chat-completions`, `responses` or `messages`.
    pub protocol: String,
    /// The base URL of its provider.
    pub base_url: String,
    /// Model name at the provider.
    pub model: String,
    /// The secret in the vault that holds the key, as `SCOPE/KEY`.
    pub key: Option<String>,
    /// Whether a provider on this machine is allowed.
    pub allow_loopback: bool,
    /// Context window in tokens, if known.
    pub context_tokens: Option<u32>,
    /// Maximum output tokens per response.
    pub max_output_tokens: Option<u32>,
    /// Price per token, if known.
    pub price: Option<ModelPrice>,
    /// Whether it only fills in arguments of tools that the local router ranks, for a person to confirm.
    #[serde(default)]
    pub small: bool,
    /// Whether it is the default model.
    pub is_default: bool,
}

/// Request body of `POST /v1/models`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddModelRequest {
    /// Name of the model in Palyra.
    #[schema(pattern = "^[a-z0-9][a-z0-9._-]{0,63}$")]
    pub name: String,
    /// `chat-completions`, `responses` or `messages`.
    pub protocol: String,
    /// Base URL of the provider; `/v1` is added if it has no path.
    pub base_url: String,
    /// Model name at the provider.
    pub model: String,
    /// The secret in the vault that holds the key, as `SCOPE/KEY`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Allows a provider on this machine, also over `http`.
    #[serde(default)]
    pub allow_loopback: bool,
    /// How many tokens its context has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u32>,
    /// Maximum output tokens per response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// Price per token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ModelPrice>,
    /// Small-model mode: the local router ranks the tools, the model fills in the arguments of one, a person confirms.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub small: bool,
}

/// Response of `POST /v1/models/{name}/test`: what two short requests found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelTest {
    /// The model.
    pub name: String,
    /// Whether it responded.
    pub answers: bool,
    /// Milliseconds until the first part of the response.
    pub first_piece_ms: Option<u64>,
    /// Milliseconds until the end of the response.
    pub total_ms: Option<u64>,
    /// Whether the response was streamed in several pieces.
    pub streams: bool,
    /// Whether it called the requested tool.
    pub calls_tools: bool,
    /// Tokens of both requests, if the provider reports them.
    pub usage: Option<ModelUsage>,
    /// Cost of both requests, in millionths of the currency, if known.
    pub cost: Option<u64>,
    /// Why it did not answer.
    pub failure: Option<ModelFailure>,
    /// Error of the tool request; `null` if the model answered without a call.
    pub tool_failure: Option<ModelFailure>,
}

/// Input and output tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelUsage {
    /// Input tokens, including cached ones.
    pub input_tokens: u64,
    /// Output tokens, including reasoning.
    pub output_tokens: u64,
    /// Cached input tokens.
    pub cached_input_tokens: u64,
    /// Output tokens used for reasoning.
    pub reasoning_tokens: u64,
}

/// Error of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelFailure {
    /// The code of the error.
    pub code: String,
    /// The change.
    pub message: String,
}
