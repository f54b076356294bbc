//! Delivery of events and messages.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Progress of an observer through the journal, or of a channel through its messages.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryCursor {
    /// Number of the first event or message that was not delivered.
    pub next: u64,
    /// Failed attempts to deliver it.
    pub attempts: u32,
    /// Time of the next attempt, in Unix milliseconds.
    pub retry_at_ms: Option<u64>,
    /// Reason of the last failure, or why delivery waits.
    pub error: Option<String>,
    /// Number of deliveries so far.
    pub delivered: u64,
}
