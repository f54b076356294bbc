//! An answer put together from its events.

use crate::event::{ModelEvent, StopReason, Usage};
use crate::message::{Message, ToolCall};

/// What has arrived of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelAnswer {
    /// All text so far.
    pub text: String,
    /// All reasoning so far; shown to people, never sent back.
    pub reasoning: String,
    /// The proposed calls, in order.
    pub tool_calls: Vec<ToolCall>,
    /// The latest usage; `None` when the provider reported none.
    pub usage: Option<Usage>,
    /// The latest opaque record of the provider.
    pub provider_state: Option<String>,
    /// Why the response ended; `None` while it has not.
    pub stop: Option<StopReason>,
}

impl ModelAnswer {
    /// Adds an event.
    ///
    /// Adapters bound the sum of an answer, so this does not.
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

    /// The message to keep in the conversation.
    pub fn into_message(self) -> Message {
        Message::Assistant {
            text: self.text,
            tool_calls: self.tool_calls,
            provider_state: self.provider_state,
        }
    }
}
