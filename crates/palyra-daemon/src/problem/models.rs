//! Problems of models that are not configured, are not found, or do not answer.

use palyra_api::Problem;
use palyra_state::models::ModelSettingError;
use serde_json::json;

use super::{ToProblem, not_found};

impl ToProblem for ModelSettingError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::State(error) => error.to_problem(),
            Self::Unknown { name, known } => not_found("model", name, known.clone()),
            Self::Bad { name, field, reason } => Problem::new(self.code(), self.to_string())
                .hints(reason.contains("allowed explicitly").then(|| "add `--allow-loopback`".to_owned()))
                .details(json!({ "model": name, "field": field, "reason": reason })),
            error => Problem::new(error.code(), error.to_string()),
        }
    }
}
