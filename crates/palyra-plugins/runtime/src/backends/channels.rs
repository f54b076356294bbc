//! Channels: where a guest's messages go.

use super::BackendError;
use async_trait::async_trait;
use palyra_common::capabilities::ChannelName;
use parking_lot::Mutex;

/// One message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelMessage {
    /// The channel.
    pub channel: ChannelName,
    /// The skill that sent it.
    pub owner: String,
    /// The run that sent it.
    pub run_id: String,
    /// Encoding of the body.
    pub content_type: String,
    /// The body.
    pub body: Vec<u8>,
}

/// Takes messages.
#[async_trait]
pub trait ChannelSink: Send + Sync {
    /// Takes one message; it is recorded when this returns.
    async fn publish(&self, message: ChannelMessage) -> Result<(), BackendError>;
}

/// Keeps messages in memory, for tests and one-shot runs.
#[derive(Debug, Default)]
pub struct MemoryChannels(Mutex<Vec<ChannelMessage>>);

impl MemoryChannels {
    /// All messages so far, oldest first.
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
