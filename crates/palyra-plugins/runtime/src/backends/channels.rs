//! Channels: the destinations of guests' messages.

use super::BackendError;
use async_trait::async_trait;
use palyra_common::capabilities::ChannelName;
use parking_lot::Mutex;

/// A message that a guest published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelMessage {
    /// The channel, which the grants of the run include.
    pub channel: ChannelName,
    /// The skill of the run.
    pub owner: String,
    /// The id of the run.
    pub run_id: String,
    /// The media type of the body, as the guest states it.
    pub content_type: String,
    /// The body, at most 256 KiB.
    pub body: Vec<u8>,
}

/// Receives the messages that guests publish.
#[async_trait]
pub trait ChannelSink: Send + Sync {
    /// Accepts a message. It must be recorded when this returns.
    async fn publish(&self, message: ChannelMessage) -> Result<(), BackendError>;
}

/// Stores messages in memory, for tests and one-shot runs.
#[derive(Debug, Default)]
pub struct MemoryChannels(Mutex<Vec<ChannelMessage>>);

impl MemoryChannels {
    /// Returns all messages, oldest first.
    pub fn messages(&self) -> Vec<ChannelMessage> {
        self.0.lock().clone()
    }
}

#[async_trait]
impl ChannelSink for MemoryChannels {
    async fn publish(&self, message: ChannelMessage) -> Result<(), BackendError> {
        self.0.lock().push(message);
        Ok(())
    }
}
