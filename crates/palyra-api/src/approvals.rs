//! Approvals: calls that wait for a person's yes, and what became of them.

mod context;

pub use context::{ApprovalContext, CallReach, ReachedDirectory};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The answer of `GET /v1/approvals`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApprovalList {
    /// The approvals, newest first.
    pub approvals: Vec<Approval>,
    /// Where the next page begins, as `before`.
    pub next: Option<String>,
}

/// One request and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Approval {
    /// Its id.
    pub approval_id: String,
    /// What became of it.
    pub status: ApprovalStatus,
    /// The skill.
    pub skill_id: String,
    /// The tool.
    pub tool_id: String,
    /// The release; another one needs another approval.
    pub payload: String,
    /// In whose name the call is made: a token, the owner, or `routine:NAME`.
    pub principal: String,
    /// Who counts as having asked, and cannot decide it: the principal, or the creator of the routine.
    #[serde(default)]
    pub requested_by: String,
    /// The session of the call.
    pub session: Option<String>,
    /// The larger run the call is a step of.
    pub parent_run: Option<String>,
    /// SHA-256 over canonical arguments, tool, release, principal by its token, and what the call runs under.
    pub binding: String,
    /// The canonical arguments: names in order, numbers as they were written, hidden characters escaped. Their first 4,096
    /// bytes, unless another piece was asked for.
    pub arguments: String,
    /// The length of the whole canonical arguments in bytes.
    #[serde(default)]
    pub arguments_bytes: u64,
    /// How many bytes of them are left out of `arguments`; 0 where they are whole.
    #[serde(default)]
    pub arguments_omitted: u64,
    /// SHA-256 of the whole canonical arguments; none for a request of an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_sha256: Option<String>,
    /// Directories and addresses that an operator opens for this call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
    /// When it was asked for, in milliseconds of Unix time.
    pub requested_ms: u64,
    /// Until when it can be decided, or used once it is approved.
    pub expires_ms: u64,
    /// How far a yes reaches.
    pub scope: Option<ApprovalScope>,
    /// Who decided.
    pub decided_by: Option<String>,
    /// When.
    pub decided_ms: Option<u64>,
    /// What the one who decided had to say.
    pub reason: Option<String>,
    /// Which gate asked for it and why, where it was not the tool's own risk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_because: Option<String>,
    /// How often a call used it.
    pub uses: u64,
}

/// What became of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalStatus {
    /// Nobody decided yet.
    Pending,
    /// Yes.
    Approved,
    /// Yes, and it was used up.
    Used,
    /// No.
    Denied,
    /// Time ran out, which is a no; a yes that was not used in time ends like this too.
    Expired,
}

/// How far a yes reaches; never past the release it was given for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalScope {
    /// This one call.
    #[default]
    Once,
    /// The tool, for the larger run this call is a step of.
    Run,
    /// These exact arguments, as often as they come.
    Arguments,
    /// The tool, for this session.
    Session,
}

/// The body of `POST /v1/approvals/{approval_id}/approve`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveRequest {
    /// How far the yes reaches; this one call without it.
    #[serde(default)]
    pub scope: ApprovalScope,
    /// The SHA-256 of the whole canonical arguments that were looked at; needed where lists cut them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub arguments_sha256: Option<String>,
    /// What there is to say about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether a person sits at a terminal or in the console; only the owner may then decide what it asked for itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub owner_present: bool,
}

/// The body of `POST /v1/approvals/{approval_id}/deny`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DenyRequest {
    /// What there is to say about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether a person sits at a terminal or in the console; only the owner may then decide what it asked for itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub owner_present: bool,
}

/// Which approvals are wanted; the default is the newest of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApprovalQuery {
    /// Only those of this status.
    pub status: Option<ApprovalStatus>,
    /// Only those before this id, which are older.
    pub before: Option<String>,
    /// How many at most.
    pub limit: Option<u16>,
}

impl ApprovalStatus {
    /// The word on every wire.
    pub const fn wire_name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Used => "used",
            Self::Denied => "denied",
            Self::Expired => "expired",
        }
    }
}

impl ApprovalScope {
    /// The word on every wire.
    pub const fn wire_name(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Run => "run",
            Self::Arguments => "arguments",
            Self::Session => "session",
        }
    }
}
