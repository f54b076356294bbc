//! The interface `channels` of the harness.

use super::super::state::Message;
use super::with;
use crate::guest::raw::types::{CapabilityKind, HostError};

/// Stores a message, which the harness returns to the test.
pub fn publish(handle: i32, content_type: &str, body: &[u8]) -> Result<(), HostError> {
    with(|state| {
        let index = state.granted_index(CapabilityKind::Channel, handle)?;
        if !content_type.contains('/') || !content_type.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) {
            return Err(HostError::InvalidArgument(format!("`{content_type}` is not a content type")));
        }
        let channel = state.grants.channels[index].clone();
        state.messages.push(Message { channel, content_type: content_type.to_owned(), body: body.to_vec() });
        Ok(())
    })
}
