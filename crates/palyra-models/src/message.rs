//! The messages of a conversation, in the form shared by all protocols.

use serde::{Deserialize, Serialize};

/// A message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum Message {
    /// A message of the user, or of the program on the user's behalf.
    User {
        /// The text of the message.
        text: String,
    },
    /// A response of the model.
    Assistant {
        /// The text; empty if the model only called tools.
        text: String,
        /// The proposed calls, in order.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<ToolCall>,
        /// The opaque state to send back unchanged ([`ModelEvent::ProviderState`](crate::ModelEvent::ProviderState)).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider_state: Option<String>,
    },
    /// The result of one proposed call. Every call of the previous response needs one.
    ToolResult {
        /// [`ToolCall::id`] of the call.
        call_id: String,
        /// The result, or the error message.
        text: String,
        /// Whether the call failed.
        #[serde(default)]
        is_error: bool,
    },
}

impl Message {
    /// Creates a message of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into() }
    }

    /// Returns the bytes of its texts, calls and provider state.
    pub fn size(&self) -> usize {
        match self {
            Self::User { text } | Self::ToolResult { text, .. } => text.len(),
            Self::Assistant { text, tool_calls, provider_state } => {
                let calls: usize = tool_calls.iter().map(|call| call.arguments.len() + call.name.len()).sum();
                text.len() + calls + provider_state.as_ref().map_or(0, String::len)
            }
        }
    }
}

/// A tool call that a model proposes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The id of the call within its conversation. The adapter generates one if the provider sends none.
    pub id: String,
    /// The name of the tool. Not checked against the tools of the request.
    pub name: String,
    /// The arguments as the model wrote them. Intended to be a JSON object, but not checked.
    pub arguments: String,
}
