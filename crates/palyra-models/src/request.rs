//! Requests to a model.

use crate::message::Message;
use palyra_common::JsonText;

/// A request to a model.
///
/// The default is empty; callers set at least `model` and `messages`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelRequest {
    /// The name of the model at its provider.
    pub model: String,
    /// The system prompt; empty for none.
    pub system: String,
    /// The conversation, oldest message first.
    pub messages: Vec<Message>,
    /// The tools that the model may call.
    pub tools: Vec<ToolSpec>,
    /// Whether the model must call a tool; ignored without `tools`.
    pub tool_choice: ToolChoice,
    /// A JSON Schema that the text of the response must match.
    pub response_schema: Option<JsonText>,
    /// Maximum number of tokens in the response; `None` for the provider's limit.
    pub max_output_tokens: Option<u32>,
    /// Sampling temperature, from 0; `None` for the provider's default.
    pub temperature: Option<f32>,
}

/// A tool as presented to a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSpec {
    /// The name in the form that all providers accept: letters, digits, `_` and `-`, at most 64 bytes.
    pub name: String,
    /// The description, by which the model chooses the tool.
    pub description: String,
    /// A JSON Schema of the arguments, of type `object`.
    pub input_schema: JsonText,
}

/// Whether the model must call a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model may call tools.
    #[default]
    Auto,
    /// The model must not call a tool.
    None,
    /// The model must call a tool.
    Required,
    /// The model must call this tool.
    Tool(String),
}
