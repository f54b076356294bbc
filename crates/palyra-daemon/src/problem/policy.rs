//! Problems of denials by the access policy, and of invalid policies.

use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_policy::{PolicyDecision, PolicyTextError, PolicyVerdict};
use serde_json::{Value, json};

use super::ToProblem;

impl ToProblem for PolicyDecision {
    fn to_problem(&self) -> Problem {
        let rule = self.reasons.first();
        let by = match (rule, &self.verdict) {
            (Some(rule), PolicyVerdict::Forbidden) => format!(" by the rule `{}`", rule.policy),
            _ => String::new(),
        };
        Problem::new(ErrorCode::Forbidden, format!("{}{by}", self.headline()))
            .hints(rule.map(|rule| rule.advice.clone()))
            .details(json!({ "action": self.action, "policy": deciding_rule(self) }))
    }
}

impl ToProblem for PolicyTextError {
    fn to_problem(&self) -> Problem {
        Problem::new(ErrorCode::InvalidPolicy, self.to_string())
            .hint(self.hint())
            .details(json!({ "line": self.line, "column": self.column, "expected": self.hint() }))
    }
}

/// Returns the rule that decided, or was closest to it, with the revision of its policy.
pub(crate) fn deciding_rule(decision: &PolicyDecision) -> Value {
    let rule = decision.reasons.first();
    json!({
        "id": rule.map(|rule| &rule.policy),
        "advice": rule.map(|rule| &rule.advice),
        "line": rule.map(|rule| rule.line),
        "revision": decision.revision,
    })
}
