//! The daemon itself.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The answer of `POST /v1/daemon/stop`: it was told, and stops once the calls under way have ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Stopping {
    /// The daemon's process.
    pub pid: u32,
    /// Calls that are still under way.
    pub calls_under_way: u64,
}
