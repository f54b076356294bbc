//! The opaque state that a provider needs back with its own message.

use crate::protocol::Protocol;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An opaque state, marked with its origin because other protocols and models would reject it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct ProviderState {
    pub(crate) protocol: Protocol,
    pub(crate) model: String,
    pub(crate) content: Value,
}

impl ProviderState {
    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Returns the content of a stored state if this protocol and model created it.
    pub(crate) fn content_for(text: Option<&str>, protocol: Protocol, model: &str) -> Option<Value> {
        let state: Self = serde_json::from_str(text?).ok()?;
        (state.protocol == protocol && state.model == model).then_some(state.content)
    }
}
