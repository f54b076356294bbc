//! Assembles a response from its events.

use crate::event::{ModelEvent, StopReason, Usage};
use crate::message::{Message, ToolCall};

/// A response, as far as it has been received.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelAnswer {
    /// The text received so far.
    pub text: String,
    /// The reasoning received so far. Displayed to people, never sent back.
    pub reasoning: String,
    /// The proposed tool calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The latest usage; `None` if the provider reported none.
    pub usage: Option<Usage>,
    /// The latest opaque state of the provider.
    pub provider_state: Option<String>,
    /// The reason why the response ended; `None` before the end.
    pub stop: Option<StopReason>,
}

impl ModelAnswer {
    /// Adds the content of an event to the answer.
    ///
    /// The adapters limit the size of a response, so this does not check it.
    pub fn apply(&mut self, event: ModelEvent) {
        match event {
            ModelEvent::Text(text) => self.text.push_str(&text),
            ModelEvent::Reasoning(text) => self.reasoning.push_str(&text),
            ModelEvent::ToolCall(call) => self.tool_calls.push(call),
            ModelEvent::Usage(usage) => self.usage = Some(usage),
            ModelEvent::ProviderState(state) => self.provider_state = Some(state),
            ModelEvent::Finished(reason) => self.stop = Some(reason),
        }
    }

    /// Converts the response to the message to keep in the conversation.
    pub fn into_message(self) -> Message {
        Message::Assistant {
            text: self.text,
            tool_calls: self.tool_calls,
            provider_state: self.provider_state,
        }
    }
}
