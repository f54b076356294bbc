//! The daemon itself.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Response of `POST /v1/daemon/stop`: the daemon stops after running calls have ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Stopping {
    /// The daemon's process.
    pub pid: u32,
    /// Number of running calls.
    pub calls_under_way: u64,
}
