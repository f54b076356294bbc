//! Approvals: calls that wait for a person's yes, and what became of them.

mod context;

pub use context::{ApprovalContext, CallReach, ReachedDirectory, ReachedSecret};
pub use palyra_common::model::approvals::{ApprovalScope, ApprovalStatus};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::sessions::SessionLabels;

/// Response of `GET /v1/approvals`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ApprovalList {
    /// The approvals, newest first.
    pub approvals: Vec<Approval>,
    /// The `before` of the next page.
    pub next: Option<String>,
}

/// One approval request and its decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Approval {
    /// Its id.
    pub approval_id: String,
    /// Result.
    pub status: ApprovalStatus,
    /// The skill.
    pub skill_id: String,
    /// The tool.
    pub tool_id: String,
    /// The release that the approval covers.
    pub payload: String,
    /// Principal of the call: a token, the owner, or `routine:NAME`.
    pub principal: String,
    /// The requester, who cannot approve it: the principal, or the creator of the routine.
    #[serde(default)]
    pub requested_by: String,
    /// The session of the call.
    pub session: Option<String>,
    /// The parent run of the call.
    pub parent_run: Option<String>,
    /// SHA-256 of canonical arguments, tool, release, principal by its token, and the configuration of the call.
    pub binding: String,
    /// The canonical arguments: sorted names, numbers as written, hidden characters escaped. The first 4,096 bytes,
    /// unless another piece was requested.
    pub arguments: String,
    /// The length of the whole canonical arguments in bytes.
    #[serde(default)]
    pub arguments_bytes: u64,
    /// Number of bytes omitted from `arguments`; 0 if they are complete.
    #[serde(default)]
    pub arguments_omitted: u64,
    /// SHA-256 of the complete canonical arguments; `null` for a request of an older version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments_sha256: Option<String>,
    /// Directories and address ranges that an operator adds to this call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
    /// Time at which it was asked for, in Unix milliseconds.
    pub requested_ms: u64,
    /// Time until which it can be decided or, once approved, used.
    pub expires_ms: u64,
    /// Scope of an approval.
    pub scope: Option<ApprovalScope>,
    /// Principal that decided.
    pub decided_by: Option<String>,
    /// Time.
    pub decided_ms: Option<u64>,
    /// Reason of the decision.
    pub reason: Option<String>,
    /// The policy rule or gate that required it and its reason, if it was not the tool's manifest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_because: Option<String>,
    /// What the session of the call had read when approval was requested.
    #[serde(default)]
    pub labels: SessionLabels,
    /// Number of calls that used it.
    pub uses: u64,
}

/// Request body of `POST /v1/approvals/{approval_id}/approve`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproveRequest {
    /// Scope of the approval [default: this call].
    #[serde(default)]
    pub scope: ApprovalScope,
    /// SHA-256 of the complete canonical arguments; required if lists truncate them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub arguments_sha256: Option<String>,
    /// Details as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether a person is at a terminal or in the console; only then the owner can decide its own requests.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub owner_present: bool,
}

/// Request body of `POST /v1/approvals/{approval_id}/deny`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DenyRequest {
    /// Details as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether a person is at a terminal or in the console; only then the owner can decide its own requests.
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
    /// Maximum number of results.
    pub limit: Option<u16>,
}
