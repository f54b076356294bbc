//! Problems of channels and models that cannot be defined or are not found.

use palyra_api::Problem;
use palyra_state::DefinitionError;
use serde_json::json;

use super::{ToProblem, not_found};

impl ToProblem for DefinitionError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::State(error) => error.to_problem(),
            Self::Unknown { kind, name, known } => not_found(kind, name, known.clone()),
            Self::Bad { kind, name, field, reason } => Problem::new(self.code(), self.to_string())
                .hints(reason.contains("allowed explicitly").then(|| "add `--allow-loopback`".to_owned()))
                .details(json!({ *kind: name, "field": field, "reason": reason })),
            error => Problem::new(error.code(), error.to_string()),
        }
    }
}
