//! Hooks: events, decisions, and a hook as a type.

use super::error::ToolError;
use super::raw::exports::hooks as wire;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A hook of a plugin. [`macro@crate::hook`] implements it for a function.
pub trait Hook {
    /// The hook id, `publisher.name`.
    const ID: &'static str;
    /// The events that the hook can be bound to.
    const EVENTS: &'static [&'static str];

    /// Decides about one event.
    fn on_event(event: Event) -> Result<HookDecision, ToolError>;
}

/// An event that occurred, or is about to occur.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The kind of event, for example `run:before_tool`.
    pub kind: String,
    /// The facts of the event, depending on its kind.
    pub payload: Value,
}

impl Event {
    /// Deserializes the facts. Fails with [`ToolError::INVALID_INPUT`].
    pub fn payload_as<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        T::deserialize(&self.payload).map_err(|error| {
            ToolError::new(ToolError::INVALID_INPUT, format!("invalid payload of `{}`: {error}", self.kind))
        })
    }
}

/// The decision of a hook. It can restrict what happens next, but never permit more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookDecision {
    /// Proceed.
    Continue,
    /// Proceed, and record a remark.
    Annotate(String),
    /// Require approval by a person, for this reason.
    RequestApproval(String),
    /// Block the event, for this reason.
    Block(String),
}

impl From<HookDecision> for wire::HookDecision {
    fn from(decision: HookDecision) -> Self {
        match decision {
            HookDecision::Continue => Self::Continue,
            HookDecision::Annotate(text) => Self::Annotate(text),
            HookDecision::RequestApproval(reason) => Self::RequestApproval(reason),
            HookDecision::Block(reason) => Self::Block(reason),
        }
    }
}
