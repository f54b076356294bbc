//! Availability and version of the daemon.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Response of `GET /v1/health`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// `ok`, or `stopping` during shutdown.
    pub status: String,
    /// The version of this daemon.
    pub version: String,
    /// Its process.
    pub pid: u32,
    /// The state root it owns.
    pub state_root: String,
    /// Time since it became the owner.
    pub uptime_ms: u64,
    /// Number of events in the journal.
    pub journal_size: u64,
    /// Grows by one with every change of trust, index or consent.
    pub generation: u64,
}
