//! Problems of bindings that cannot be changed.

use palyra_api::Problem;
use palyra_state::hooks::HookError;
use serde_json::json;

use super::{ToProblem, not_found};

impl ToProblem for HookError {
    fn to_problem(&self) -> Problem {
        let problem = || Problem::new(self.code(), self.to_string()).hints(self.hint());
        match self {
            Self::State(error) => error.to_problem(),
            Self::Unknown { id, known } => not_found("binding", id, known.clone()),
            Self::Malformed(fault) => {
                problem().details(json!({ "line": fault.line, "field": fault.field, "reason": fault.reason }))
            }
            Self::Bad { id, field, reason } => {
                problem().details(json!({ "binding": id, "field": field, "reason": reason }))
            }
            _ => problem(),
        }
    }
}
