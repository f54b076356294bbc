//! The form of errors on every transport: RFC 9457 problem details.

use palyra_common::ErrorCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::codes;

/// The media type of a problem.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// URN of the problem type: `urn:palyra:problem:` and the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// Title of the problem, the same for every problem of one code.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The error code, the same on every transport. Clients read an unknown code as `Unknown`, with the original `type`
    /// and `status`.
    #[schema(value_type = String)]
    pub code: ErrorCode,
    /// Description as text.
    pub detail: String,
    /// Suggested next steps.
    #[serde(default)]
    pub hints: Vec<String>,
    /// Details, by error code.
    #[serde(default, with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub details: Value,
    /// The failed run; absent if the request failed before a run started.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The request id, also in the daemon's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}

impl Problem {
    /// Creates a problem with a code and a message; status and title follow from the code.
    pub fn new(code: ErrorCode, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("urn:palyra:problem:{code}"),
            title: code.as_str().replace('_', " "),
            status: codes::http_status(code),
            detail: detail.into(),
            hints: Vec::new(),
            details: Value::Object(Map::new()),
            run_id: None,
            request_id: None,
            code,
        }
    }

    /// Adds a hint: a step that the user can take.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds several hints.
    #[must_use]
    pub fn hints(mut self, hints: impl IntoIterator<Item = String>) -> Self {
        self.hints.extend(hints);
        self
    }

    /// Replaces the details.
    #[must_use]
    pub fn details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// Returns the exit code of a command that ends with this problem.
    pub fn exit_code(&self) -> u8 {
        codes::exit_code(self.code)
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.detail)
    }
}

impl std::error::Error for Problem {}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_back_and_knows_its_status() {
        let problem = Problem::new(ErrorCode::NotFound, "skill `a` does not exist")
            .hint("look")
            .details(serde_json::json!({ "name": "a" }));
        let text = serde_json::to_string(&problem).unwrap();
        assert!(
            text.starts_with(r#"{"type":"urn:palyra:problem:not_found","title":"not found","status":404"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Problem>(&text).unwrap(), problem);
        assert_eq!(problem.exit_code(), 11);
    }
}
