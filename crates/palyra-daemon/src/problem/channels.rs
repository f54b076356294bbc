//! Problems of channels that cannot be defined or are not found.

use palyra_api::Problem;
use palyra_state::channels::ChannelError;
use serde_json::json;

use super::{ToProblem, not_found};

impl ToProblem for ChannelError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::State(error) => error.to_problem(),
            Self::Unknown { name, known } => not_found("channel", name, known.clone()),
            Self::Bad { name, field, reason } => Problem::new(self.code(), self.to_string())
                .details(json!({ "channel": name, "field": field, "reason": reason })),
            error => Problem::new(error.code(), error.to_string()),
        }
    }
}
