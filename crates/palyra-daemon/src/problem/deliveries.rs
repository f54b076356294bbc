//! Problems of lanes and dead letters that are not found.

use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_state::deliveries::{DeliveryError, LaneKind};

use super::{ToProblem, not_found};

impl ToProblem for DeliveryError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::State(error) => error.to_problem(),
            Self::UnknownLane { lane, known } => {
                let kind = match lane.kind {
                    LaneKind::Hook => "binding",
                    LaneKind::Channel => "channel",
                };
                not_found(kind, &lane.name, known.clone())
            }
            Self::UnknownLetter { .. } => Problem::new(ErrorCode::NotFound, self.to_string())
                .hint("list dead letters with `palyra deliveries dead-letters list`"),
            Self::ItemGone { letter, .. } => Problem::new(ErrorCode::NotFound, self.to_string())
                .hint(format!("drop the letter with `palyra deliveries dead-letters drop {letter}`")),
        }
    }
}
