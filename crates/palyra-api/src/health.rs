//! Whether the daemon is there, and what it is.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The answer of `GET /v1/health`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok`, or `stopping` while the last requests end.
    pub status: String,
    /// The version of this daemon.
    pub version: String,
    /// Its process.
    pub pid: u32,
    /// The state root it owns.
    pub state_root: String,
    /// For how long it has been the owner.
    pub uptime_ms: u64,
    /// How many events the journal has.
    pub journal_size: u64,
    /// Grows by one with every change of what is believed or installed.
    pub generation: u64,
}
