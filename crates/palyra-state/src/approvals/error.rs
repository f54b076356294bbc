//! Errors of deciding or reading an approval.

use palyra_common::ErrorCode;
use std::sync::Arc;

use palyra_policy::PolicyDecision;

use super::{ApprovalScope, ApprovalStatus};
use crate::error::StateError;

/// Error of deciding or reading an approval.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ApprovalError {
    /// No approval has this id.
    #[error("approval `{approval_id}` does not exist")]
    NotFound { approval_id: String },
    /// The request was already decided or has expired.
    #[error("approval `{approval_id}` is already {}", status.wire_name())]
    Decided { approval_id: String, status: ApprovalStatus },
    /// The access policy denies the decision, for example because the requester decides.
    #[error("{decision}")]
    Denied {
        approval_id: String,
        /// The decision and its rules.
        decision: Arc<PolicyDecision>,
    },
    /// The decider is the requester or shares a creator with it, without evidence of a person.
    #[error("approval `{approval_id}` cannot be decided by its requester or by a token of the same lineage")]
    OwnRequest { approval_id: String },
    /// Lists truncate the arguments, and the decision does not contain the SHA-256 of the whole.
    #[error(
        "the arguments of approval `{approval_id}` have {bytes} bytes, of which {omitted} are not shown: \
        approving requires the SHA-256 of all arguments"
    )]
    ArgumentsCut {
        approval_id: String,
        /// Length of the whole arguments.
        bytes: u64,
        /// Number of bytes that lists leave out.
        omitted: u64,
    },
    /// The SHA-256 in the decision is that of other arguments.
    #[error("the given SHA-256 does not match the arguments of approval `{approval_id}`")]
    OtherArguments { approval_id: String },
    /// The call belongs to no run or session that the scope could cover.
    #[error("approval `{approval_id}` cannot cover a \
        {}", if *scope == ApprovalScope::Run { "run" } else { "session" })]
    NoSuchScope { approval_id: String, scope: ApprovalScope },
    /// The MAC of the row is invalid: another program modified it.
    #[error("approval `{approval_id}` has an invalid MAC (modified outside Palyra)")]
    Tampered { approval_id: String },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl ApprovalError {
    /// Returns the next step for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound { .. } => Some("list pending approvals with `palyra approvals list`".into()),
            Self::Decided { .. } => Some("make the call again to create a new request".into()),
            Self::Denied { decision, .. } => decision.reasons.first().map(|reason| reason.advice.clone()),
            Self::OwnRequest { .. } => Some(
                "ask the holder of another token with the scope `approve` that the owner created, or the owner at a \
                terminal, to decide it".into(),
            ),
            Self::ArgumentsCut { approval_id, .. } | Self::OtherArguments { approval_id } => {
                Some(format!("show all of them with `palyra approvals show {approval_id} --whole`"))
            }
            Self::NoSuchScope { .. } => Some("approve it once, or for these exact arguments".into()),
            Self::Tampered { .. } => Some("make the call again, and run `palyra journal verify`".into()),
            Self::State(error) => error.hint(),
        }
    }

    /// Returns the error code that every transport reports.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NotFound { .. } => ErrorCode::NotFound,
            Self::Decided { .. } => ErrorCode::AlreadyDecided,
            Self::Denied { .. } | Self::OwnRequest { .. } => ErrorCode::Forbidden,
            Self::ArgumentsCut { .. } | Self::OtherArguments { .. } => ErrorCode::Usage,
            Self::NoSuchScope { .. } => ErrorCode::InvalidScope,
            Self::Tampered { .. } => ErrorCode::StateDamaged,
            Self::State(error) => error.code(),
        }
    }
}

impl From<palyra_journal::JournalError> for ApprovalError {
    fn from(error: palyra_journal::JournalError) -> Self {
        Self::State(error.into())
    }
}
