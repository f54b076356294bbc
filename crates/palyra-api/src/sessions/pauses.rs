//! Pauses of agent runs: one record for approvals, forms and questions.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{FormSubmit, SessionLabels};

/// Response of `GET /v1/pauses`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PauseList {
    /// The pauses, newest first.
    pub pauses: Vec<Pause>,
    /// The `before` of the next page.
    pub next: Option<String>,
}

/// A question of an agent run, answered once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pause {
    /// Its id.
    pub pause_id: String,
    /// The session.
    pub session_id: String,
    /// The agent run.
    pub run_id: String,
    /// Kind of pause.
    pub kind: PauseKind,
    /// Result.
    pub status: PauseStatus,
    /// The question as text.
    pub question: String,
    /// The tool call.
    pub call_id: Option<String>,
    /// The tool it is about.
    pub tool_id: Option<String>,
    /// The canonical arguments of the call, clipped to 4 KiB.
    pub arguments: Option<String>,
    /// The approval, for a pause of the kind `approval`.
    pub approval_id: Option<String>,
    /// The surface with the form, for a pause of the kind `form`.
    pub surface: Option<String>,
    /// The revision of the surface that was shown.
    pub rev: Option<u64>,
    /// SHA-256 of what was shown; the answer must contain it.
    pub bound_to: String,
    /// Labels of the session at the time of the question.
    pub labels: SessionLabels,
    /// Time at which it was asked, in Unix milliseconds.
    pub requested_ms: u64,
    /// Time until which it can be answered; then it counts as denied.
    pub expires_ms: u64,
    /// Principal that answered.
    pub answered_by: Option<String>,
    /// Time.
    pub answered_ms: Option<u64>,
}

/// Kind of a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseKind {
    /// The decision about a call, by a principal that may approve it.
    Approval,
    /// The values of a form.
    Form,
    /// Yes or no to a question.
    Question,
}

/// Status of a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseStatus {
    /// Not answered yet.
    Waiting,
    /// Yes, or values.
    Answered,
    /// No.
    Denied,
    /// Time ran out, which is a no.
    Expired,
    /// The run ended before anybody answered.
    Cancelled,
}

/// Request body of `POST /v1/pauses/{pause_id}/answer`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseAnswer {
    /// Decision; submitted form values count as approval.
    pub decision: PauseDecision,
    /// The digest of what was shown, from the pause.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub bound_to: String,
    /// The form values, if a form was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submit: Option<FormSubmit>,
    /// Details as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether a person is at a terminal or in the console; only then the owner can decide its own requests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub owner_present: bool,
}

/// Decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseDecision {
    /// Yes.
    Approve,
    /// No.
    Deny,
}

impl PauseStatus {
    /// Returns the value in requests and responses.
    pub const fn wire_name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Answered => "answered",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }
}
