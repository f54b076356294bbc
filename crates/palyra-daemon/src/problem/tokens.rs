//! Problems of tokens that cannot be created or are not found.

use palyra_api::Problem;
use palyra_state::TokenError;

use super::{ToProblem, not_found};

impl ToProblem for TokenError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::State(error) => error.to_problem(),
            Self::Unknown { name, known } => not_found("token", name, known.clone()),
            error => Problem::new(error.code(), error.to_string()).hints(error.hint()),
        }
    }
}
