//! Problems of invalid audit policies.

use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_skills::audit::{AdvisoryError, AuditPolicyError};
use serde_json::json;

use super::ToProblem;
use super::chain::sentence;

impl ToProblem for AuditPolicyError {
    fn to_problem(&self) -> Problem {
        let problem = Problem::new(ErrorCode::InvalidPolicy, sentence(self)).hint(self.hint());
        match self {
            Self::HardRule(rule) => problem.details(json!({ "rule": rule })),
            Self::BudgetTooLarge { name, value, ceiling } => {
                problem.details(json!({ "budget": name, "value": value, "ceiling": ceiling }))
            }
            Self::Toml(_) | Self::Json(_) => problem,
        }
    }
}

impl ToProblem for AdvisoryError {
    fn to_problem(&self) -> Problem {
        Problem::new(ErrorCode::InvalidPolicy, sentence(self))
            .hint("`palyra audit-policy advisories --help` describes the format")
    }
}
