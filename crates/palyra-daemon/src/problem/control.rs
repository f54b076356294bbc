//! Problems of routines and objectives that cannot be stored or are not found.

use palyra_api::Problem;
use palyra_control_plane::ControlError;
use serde_json::json;

use super::{ToProblem, not_found};

impl ToProblem for ControlError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::State(error) => error.to_problem(),
            Self::Unknown { kind, name, known } => not_found(kind, name, known.clone()),
            Self::InUse { routines, .. } => {
                let problem = Problem::new(self.code(), self.to_string()).hints(self.hint());
                problem.details(json!({ "routines": routines }))
            }
            error => Problem::new(error.code(), error.to_string()).hints(error.hint()),
        }
    }
}
