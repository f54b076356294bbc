//! Hooks: the event, the decision, and a hook as a type.

use super::error::ToolError;
use super::raw::exports::hooks as wire;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One hook of a plugin; [`macro@crate::hook`] writes it for a function.
pub trait Hook {
    /// Its id, `publisher.name`.
    const ID: &'static str;
    /// The events it may be bound to.
    const EVENTS: &'static [&'static str];

    /// Answers one event.
    fn on_event(event: Event) -> Result<HookDecision, ToolError>;
}

/// Something that happened, or is about to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What, for example `run:before_tool`.
    pub kind: String,
    /// The facts.
    pub payload: Value,
}

impl Event {
    /// The facts as a type of yours.
    pub fn payload_as<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        T::deserialize(&self.payload).map_err(|error| {
            ToolError::new(ToolError::INVALID_INPUT, format!("invalid payload of `{}`: {error}", self.kind))
        })
    }
}

/// The answer of a hook; it can narrow what happens next and never widen it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HookDecision {
    /// No objection.
    Continue,
    /// No objection, with a remark for the record.
    Annotate(String),
    /// Ask a person first, for this reason.
    RequestApproval(String),
    /// Do not let it happen, for this reason.
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
