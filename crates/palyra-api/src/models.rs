//! Models: the providers an operator set up for the agent.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The answer of `GET /v1/models`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelList {
    /// The model that is asked when nobody names one.
    pub default: Option<String>,
    /// The models, by name.
    pub models: Vec<Model>,
}

/// A model and how it is reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Model {
    /// Its name here.
    pub name: String,
    /// `chat-completions`, `responses` or `messages`.
    pub protocol: String,
    /// The base URL of its provider.
    pub base_url: String,
    /// Its name at its provider.
    pub model: String,
    /// The secret in the vault that holds the key, as `SCOPE/KEY`.
    pub key: Option<String>,
    /// Whether a provider on this machine is allowed.
    pub allow_loopback: bool,
    /// How many tokens its context has, where known.
    pub context_tokens: Option<u32>,
    /// Most tokens of one answer.
    pub max_output_tokens: Option<u32>,
    /// What its tokens cost, where known.
    pub price: Option<ModelPrice>,
    /// Whether it is asked when nobody names a model.
    pub is_default: bool,
}

/// What a million tokens cost, in millionths of a unit of the operator's currency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelPrice {
    /// A million tokens of requests.
    pub input: u64,
    /// A million tokens of answers.
    pub output: u64,
}

/// The body of `POST /v1/models`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddModelRequest {
    /// Its name here.
    #[schema(pattern = "^[a-z0-9][a-z0-9._-]{0,63}$")]
    pub name: String,
    /// `chat-completions`, `responses` or `messages`.
    pub protocol: String,
    /// The base URL of its provider; one without a path gets `/v1`.
    pub base_url: String,
    /// Its name at its provider.
    pub model: String,
    /// The secret in the vault that holds the key, as `SCOPE/KEY`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Allow a provider on this machine, and `http` to it.
    #[serde(default)]
    pub allow_loopback: bool,
    /// How many tokens its context has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u32>,
    /// Most tokens of one answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    /// What its tokens cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<ModelPrice>,
}

/// The answer of `POST /v1/models/{name}/test`: what two short requests found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelTest {
    /// The model.
    pub name: String,
    /// Whether it answered at all.
    pub answers: bool,
    /// Milliseconds to the first piece of the answer.
    pub first_piece_ms: Option<u64>,
    /// Milliseconds to the end of the answer.
    pub total_ms: Option<u64>,
    /// Whether the answer came in more than one piece.
    pub streams: bool,
    /// Whether it called the tool it was asked to call.
    pub calls_tools: bool,
    /// Tokens of both requests, where the provider counts them.
    pub usage: Option<ModelUsage>,
    /// What both requests cost, in millionths of the currency of the model's price; only where it is known.
    pub cost: Option<u64>,
    /// Why it did not answer.
    pub failure: Option<ModelFailure>,
    /// Why the request with a tool failed; nothing if it was answered without a call.
    pub tool_failure: Option<ModelFailure>,
}

/// Tokens of requests and answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelUsage {
    /// Tokens of the requests, cached ones included.
    pub input_tokens: u64,
    /// Tokens of the answers, reasoning included.
    pub output_tokens: u64,
    /// Tokens of the requests that the provider had in its cache.
    pub cached_input_tokens: u64,
    /// Tokens of the answers that were reasoning.
    pub reasoning_tokens: u64,
}

/// Why a provider did not answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelFailure {
    /// The code of the error.
    pub code: String,
    /// What happened.
    pub message: String,
}
