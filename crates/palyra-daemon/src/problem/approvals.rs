//! Problems of approvals that are not found or cannot be decided.

use palyra_api::Problem;
use palyra_state::ApprovalError;
use serde_json::json;

use super::ToProblem;

impl ToProblem for ApprovalError {
    fn to_problem(&self) -> Problem {
        let problem = match self {
            Self::State(error) => return error.to_problem(),
            Self::Denied { approval_id, decision } => {
                let mut problem = decision.to_problem();
                problem.details["approval_id"] = approval_id.as_str().into();
                return problem;
            }
            error => Problem::new(error.code(), error.to_string()).hints(error.hint()),
        };
        match self {
            Self::Decided { approval_id, status } => {
                problem.details(json!({ "approval_id": approval_id, "status": status }))
            }
            Self::NoSuchScope { approval_id, scope } => {
                problem.details(json!({ "approval_id": approval_id, "scope": scope }))
            }
            Self::ArgumentsCut { approval_id, bytes, omitted } => problem.details(json!({
                "approval_id": approval_id, "arguments_bytes": bytes, "arguments_omitted": omitted })),
            Self::NotFound { approval_id }
            | Self::OwnRequest { approval_id }
            | Self::OtherArguments { approval_id }
            | Self::Tampered { approval_id } => problem.details(json!({ "approval_id": approval_id })),
            Self::Denied { .. } | Self::State(_) => problem,
        }
    }
}
