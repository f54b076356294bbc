//! The messages of a conversation, as they are sent to every provider.

use serde::{Deserialize, Serialize};

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// From the person, or from the program on its behalf.
    User {
        /// The text.
        text: String,
    },
    /// From the model.
    Assistant {
        /// The text; empty when it only called tools.
        text: String,
        /// The calls it proposed, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// What its provider wants back unchanged ([`ModelEvent::ProviderState`](crate::ModelEvent::ProviderState)).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_state: Option<String>,
    },
    /// The result of one proposed call; every call of the message before needs one.
    ToolResult {
        /// [`ToolCall::id`] of the call.
        call_id: String,
        /// The result, or what went wrong.
        text: String,
        /// Whether the call failed.
        #[serde(default)]
        is_error: bool,
    },
}

impl Message {
    /// A message from the person.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }
}

/// A call that a model proposes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Names the call within its conversation; made up by the adapter when the provider sends none.
    pub id: String,
    /// Name of the tool, not yet checked against the tools of the request.
    pub name: String,
    /// The arguments as the model wrote them: meant as a JSON object, and not yet checked to be one.
    pub arguments: String,
}
