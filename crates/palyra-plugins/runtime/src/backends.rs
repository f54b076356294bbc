//! The backends of the capability interfaces: storage, secrets, channels and egress.
//!
//! Each is a small trait. The implementations here are for tests and one-shot commands; the daemon has its own.

mod channels;
mod secrets;
mod storage;

pub use channels::{ChannelMessage, ChannelSink, MemoryChannels};
pub use secrets::{MemorySecrets, SecretStore};
pub use storage::{DirectoryStorage, MemoryStorage, StorageBackend, StorageQuota};

use crate::run_log::LogLine;
use palyra_egress::EgressGuard;
use std::sync::Arc;

/// The services that a runtime provides to its guests.
#[derive(Clone)]
pub struct HostServices {
    /// Storage of keys and values, separate for each owner.
    pub storage: Arc<dyn StorageBackend>,
    /// Values of secrets by reference.
    pub secrets: Arc<dyn SecretStore>,
    /// Receives the messages that guests publish.
    pub channels: Arc<dyn ChannelSink>,
    /// Sends HTTP requests; `None` fails every request as unavailable.
    pub egress: Option<EgressGuard>,
    /// Called for each log line when it is written. Must not block.
    pub on_line: Option<OnLine>,
}

/// A callback for log lines, with the id of the run.
pub type OnLine = Arc<dyn Fn(&str, &LogLine) + Send + Sync>;

impl Default for HostServices {
    fn default() -> Self {
        Self {
            storage: Arc::new(MemoryStorage::default()),
            secrets: Arc::new(MemorySecrets::default()),
            channels: Arc::new(MemoryChannels::default()),
            egress: None,
            on_line: None,
        }
    }
}

/// An error of a backend.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum BackendError {
    /// The operation would exceed a quota of the grant.
    #[error("it would hold {used}, the limit is {allowed}")]
    OverQuota { allowed: u64, used: u64 },
    /// The backend is not available.
    #[error("{0}")]
    Unavailable(String),
}

impl From<std::io::Error> for BackendError {
    fn from(error: std::io::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}
