//! Deliveries: events to observers and messages to channels.

pub use palyra_common::model::deliveries::DeliveryCursor;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::hooks::HookTest;

/// Response of `GET /v1/deliveries`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LaneList {
    /// The lanes in use: observers in the order of their bindings, then channels by name.
    pub lanes: Vec<Lane>,
}

/// An observer, or a channel to a file or webhook, with its delivery status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Lane {
    /// Delivery target.
    pub kind: LaneKind,
    /// The id of the binding, or the name of the channel.
    pub name: String,
    /// The hook of the binding, or `file` or `webhook`.
    pub to: String,
    /// Delivery progress; `null` before the first delivery.
    pub cursor: Option<DeliveryCursor>,
    /// Number of dead letters.
    pub dead_letters: u64,
}

/// Type of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LaneKind {
    /// An observer, which gets events of the journal.
    Hook,
    /// A channel, which gets the messages of guests.
    Channel,
}

/// Response of `GET /v1/deliveries/dead-letters`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryDeadLetterList {
    /// The letters, newest first.
    pub dead_letters: Vec<DeliveryDeadLetter>,
}

/// An event or message whose delivery failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryDeadLetter {
    /// Number of the letter, unique over all lanes.
    pub letter: u64,
    /// Kind of its lane.
    pub kind: LaneKind,
    /// The id of the binding, or the name of the channel.
    pub lane: String,
    /// Sequence of the event in the journal, or number of the message.
    pub item: u64,
    /// The event the hook is bound to; null for a channel.
    pub event: Option<String>,
    /// Attempts to deliver it.
    pub attempts: u32,
    /// Reason of the last failure.
    pub reason: String,
    /// Time at which it became a dead letter, in Unix milliseconds.
    pub at_ms: u64,
}

/// Response of `POST /v1/deliveries/dead-letters/{letter}/retry`: the item was delivered, and the letter is gone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct DeliveryRetry {
    /// The letter, as it was.
    pub delivered: DeliveryDeadLetter,
    /// Decision of the hook; `null` for a channel.
    pub hook: Option<HookTest>,
}
