//! What stands behind the capability interfaces: storage, secrets, channels, egress.
//!
//! Each is a small trait. The implementations here serve tests and the one-shot command line; the
//! daemon brings its own.

mod channels;
mod secrets;
mod storage;

pub use channels::{ChannelMessage, ChannelSink, MemoryChannels};
pub use secrets::{MemorySecrets, SecretStore};
pub use storage::{DirectoryStorage, MemoryStorage, StorageBackend, StorageQuota};

use crate::run_log::LogLine;
use palyra_egress::EgressGuard;
use std::sync::Arc;

/// The outside world of a runtime.
#[derive(Clone)]
pub struct HostServices {
    /// Keys and values.
    pub storage: Arc<dyn StorageBackend>,
    /// Secret values by name.
    pub secrets: Arc<dyn SecretStore>,
    /// Delivery target.
    pub channels: Arc<dyn ChannelSink>,
    /// The one way out; `None` refuses every request as unavailable.
    pub egress: Option<EgressGuard>,
    /// Hears each line of log when it is written; it must not wait.
    pub on_line: Option<OnLine>,
}

/// Hears the lines of runs as they come: the run, and the line.
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

/// Errors of a backend.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum BackendError {
    /// A quota of the grant would be exceeded.
    #[error("it would hold {used}, the limit is {allowed}")]
    OverQuota { allowed: u64, used: u64 },
    /// It is not working now.
    #[error("{0}")]
    Unavailable(String),
}

impl From<std::io::Error> for BackendError {
    fn from(error: std::io::Error) -> Self {
        Self::Unavailable(error.to_string())
    }
}
