//! Errors of deliveries.

use super::{LaneKey, LaneKind};
use crate::error::StateError;

/// A lane or a dead letter that cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DeliveryError {
    /// No observer or channel has this name.
    #[error("{lane} does not exist")]
    UnknownLane {
        /// The lane, its name escaped.
        lane: LaneKey,
        /// The names of its kind that exist.
        known: Vec<String>,
    },
    /// No dead letter of the lanes in question has this number.
    #[error("dead letter `{letter}` does not exist")]
    UnknownLetter {
        /// The number.
        letter: u64,
    },
    /// The event is in a segment file, or the message is no longer kept.
    #[error("the {} {item} of dead letter `{letter}` is no longer available", .kind.item())]
    ItemGone {
        /// The number of the letter.
        letter: u64,
        /// The kind of its lane.
        kind: LaneKind,
        /// The number of the event or message.
        item: u64,
    },
    /// The state cannot be read or written.
    #[error(transparent)]
    State(#[from] StateError),
}
