//! Messages to a channel that an operator defined.

use super::error::{HostError, ToolError};
use super::raw::types::CapabilityKind;
use super::raw::{channels, host_capabilities};
use serde::Serialize;

/// Publishes bytes with a media type to the channel `name`.
///
/// # Errors
///
/// [`HostError::Denied`] if the channel is not granted, and [`HostError::Unavailable`] if it does not accept the
/// message.
pub fn publish(name: &str, content_type: &str, body: &[u8]) -> Result<(), HostError> {
    let handle = host_capabilities::find(CapabilityKind::Channel, name);
    Ok(channels::publish(handle, content_type, body)?)
}

/// Publishes UTF-8 text to the channel `name`, as `text/plain`.
pub fn publish_text(name: &str, text: &str) -> Result<(), HostError> {
    publish(name, "text/plain; charset=utf-8", text.as_bytes())
}

/// Publishes a value as JSON to the channel `name`.
pub fn publish_json<T: Serialize + ?Sized>(name: &str, value: &T) -> Result<(), ToolError> {
    let body = serde_json::to_vec(value)?;
    Ok(publish(name, "application/json", &body)?)
}
