//! Errors of deliveries.

use super::{LaneKey, LaneKind};
use crate::error::StateError;

/// Error of using a lane or a dead letter.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DeliveryError {
    /// No observer or channel has this name.
    #[error("{lane} does not exist")]
    UnknownLane {
        /// The requested lane, its name escaped.
        lane: LaneKey,
        /// Names of existing lanes of this kind.
        known: Vec<String>,
    },
    /// No dead letter of the selected lanes has this number.
    #[error("dead letter `{letter}` does not exist")]
    UnknownLetter {
        /// The requested number.
        letter: u64,
    },
    /// The event is in a segment file, or the message is no longer stored.
    #[error("the {} {item} of dead letter `{letter}` is no longer available", .kind.item())]
    ItemGone {
        /// Number of the dead letter.
        letter: u64,
        /// Kind of its lane.
        kind: LaneKind,
        /// Number of the event or message.
        item: u64,
    },
    /// The state cannot be read or written.
    #[error(transparent)]
    State(#[from] StateError),
}
