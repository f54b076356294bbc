//! What a model is asked.

use crate::message::Message;
use palyra_common::JsonText;

/// One request to a model.
///
/// The default is empty: fill in at least `model` and `messages`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ModelRequest {
    /// Name of the model, as its provider knows it.
    pub model: String,
    /// System text; empty for none.
    pub system: String,
    /// The conversation, oldest message first.
    pub messages: Vec<Message>,
    /// Tools that may be called.
    pub tools: Vec<ToolSpec>,
    /// Whether a tool has to be called; ignored without `tools`.
    pub tool_choice: ToolChoice,
    /// JSON Schema that the text of the answer must match.
    pub response_schema: Option<JsonText>,
    /// Most tokens of the answer; the provider's own limit applies without one.
    pub max_output_tokens: Option<u32>,
    /// Randomness, from 0; the provider's own default applies without one.
    pub temperature: Option<f32>,
}

/// A tool as a model sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolSpec {
    /// Name in the form all providers accept: letters, digits, `_` and `-`, at most 64 bytes.
    pub name: String,
    /// What the tool does.
    pub description: String,
    /// JSON Schema of its arguments, an object.
    pub input_schema: JsonText,
}

/// Whether a tool has to be called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// The model decides.
    #[default]
    Auto,
    /// No tool may be called.
    None,
    /// Any tool must be called.
    Required,
    /// This tool must be called.
    Tool(String),
}
