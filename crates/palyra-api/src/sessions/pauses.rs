//! What agent runs wait for: one record for approvals, forms and questions.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{FormSubmit, SessionLabels};

/// The answer of `GET /v1/pauses`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PauseList {
    /// The pauses, newest first.
    pub pauses: Vec<Pause>,
    /// Where the next page begins, as `before`.
    pub next: Option<String>,
}

/// Something an agent run waits for; it is answered once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pause {
    /// Its id.
    pub pause_id: String,
    /// The session.
    pub session_id: String,
    /// The agent run.
    pub run_id: String,
    /// What kind of answer is wanted.
    pub kind: PauseKind,
    /// What became of it.
    pub status: PauseStatus,
    /// What a person is asked, in plain words.
    pub question: String,
    /// The call it is about.
    pub call_id: Option<String>,
    /// The tool it is about.
    pub tool_id: Option<String>,
    /// The canonical arguments of the call, clipped to 4 KiB.
    pub arguments: Option<String>,
    /// The approval that decides it, for a pause of the kind `approval`.
    pub approval_id: Option<String>,
    /// The surface with the form, for a pause of the kind `form`.
    pub surface: Option<String>,
    /// The revision of the surface that was shown.
    pub rev: Option<u64>,
    /// SHA-256 of what was shown; an answer names it, so that it is never for something else.
    pub bound_to: String,
    /// What the session had read when it was asked.
    pub labels: SessionLabels,
    /// When it was asked, in milliseconds of Unix time.
    pub requested_ms: u64,
    /// Until when it can be answered; then it counts as denied.
    pub expires_ms: u64,
    /// Who answered.
    pub answered_by: Option<String>,
    /// When.
    pub answered_ms: Option<u64>,
}

/// What kind of answer a pause wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseKind {
    /// Yes or no to a call, from somebody who may approve it.
    Approval,
    /// The values of a form.
    Form,
    /// Yes or no to a question.
    Question,
}

/// What became of a pause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseStatus {
    /// Nobody answered yet.
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

/// The body of `POST /v1/pauses/{pause_id}/answer`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PauseAnswer {
    /// Yes or no; values of a form count as yes.
    pub decision: PauseDecision,
    /// The digest of what was looked at, as the pause shows it.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub bound_to: String,
    /// The values of the form, where one was shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submit: Option<FormSubmit>,
    /// What there is to say about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether a person sits at a terminal or in the console; only the owner may then decide what it asked for itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub owner_present: bool,
}

/// Yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PauseDecision {
    /// Yes.
    Approve,
    /// No.
    Deny,
}

impl PauseStatus {
    /// The word on every wire.
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
