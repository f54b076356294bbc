//! Problems of tapes and receipts that are not available.

use palyra_api::Problem;
use palyra_state::NoReceipt;
use palyra_state::runs::TapeProblem;
use serde_json::json;

use super::{ToProblem, sentence};

const RUNS: &str = "list the runs with `palyra runs list`";

impl ToProblem for NoReceipt {
    fn to_problem(&self) -> Problem {
        let problem = |run_id: &String| {
            Problem::new(self.code(), self.to_string()).details(json!({ "run_id": run_id }))
        };
        match self {
            Self::State(error) => error.to_problem(),
            Self::NoRun { run_id } => problem(run_id).hint(RUNS),
            Self::NotEnded { run_id } => {
                problem(run_id).hint(format!("watch it with `palyra runs events {run_id} --follow`"))
            }
            Self::Archived { run_id } => problem(run_id),
        }
    }
}

impl ToProblem for TapeProblem {
    fn to_problem(&self) -> Problem {
        let problem =
            |run_id: &String| Problem::new(self.code(), sentence(self)).details(json!({ "run_id": run_id }));
        match self {
            Self::State(error) => error.to_problem(),
            Self::NoRun { run_id } => problem(run_id).hint(RUNS),
            Self::NoTape { run_id } | Self::Damaged { run_id, .. } | Self::Unreadable { run_id, .. } => {
                problem(run_id).hint(format!("its receipt is still valid: `palyra runs receipt {run_id}`"))
            }
        }
    }
}
