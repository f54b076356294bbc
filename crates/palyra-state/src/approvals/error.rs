//! Why nothing was decided.

use palyra_common::ErrorCode;
use std::sync::Arc;

use palyra_policy::PolicyDecision;

use super::{ApprovalScope, ApprovalStatus};
use crate::error::StateError;

/// Why an approval was not decided or not found.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ApprovalError {
    /// There is none of this id.
    #[error("approval `{approval_id}` does not exist")]
    NotFound { approval_id: String },
    /// It was already decided or has expired.
    #[error("approval `{approval_id}` is already {}", status.as_str())]
    Decided { approval_id: String, status: ApprovalStatus },
    /// The access policy denies the decision, for example because the requester decides.
    #[error("{decision}")]
    Denied {
        approval_id: String,
        /// The decision and its rules.
        decision: Arc<PolicyDecision>,
    },
    /// The one who decides is the one who asked.
    #[error("approval `{approval_id}` cannot be decided by its requester")]
    OwnRequest { approval_id: String },
    /// Lists cut the arguments, and the one who decides did not say that it saw them whole.
    #[error(
        "the arguments of approval `{approval_id}` have {bytes} bytes, of which {omitted} are not shown: \
        approving requires the SHA-256 of all arguments"
    )]
    ArgumentsCut {
        approval_id: String,
        /// The length of the whole arguments.
        bytes: u64,
        /// How much of it lists leave out.
        omitted: u64,
    },
    /// The one who decides looked at other arguments.
    #[error("the given SHA-256 does not match the arguments of approval `{approval_id}`")]
    OtherArguments { approval_id: String },
    /// The call belongs to no run or session a yes could reach over.
    #[error("approval `{approval_id}` cannot cover a \
        {}", if *scope == ApprovalScope::Run { "run" } else { "session" })]
    NoSuchScope { approval_id: String, scope: ApprovalScope },
    /// The row is not as the owner wrote it.
    #[error("approval `{approval_id}` has an invalid MAC (modified outside Palyra)")]
    Tampered { approval_id: String },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl ApprovalError {
    /// What a person can do, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound { .. } => Some("list pending approvals with `palyra approvals list`".into()),
            Self::Decided { .. } => Some("make the call again to create a new request".into()),
            Self::Denied { decision, .. } => decision.reasons.first().map(|reason| reason.advice.clone()),
            Self::OwnRequest { .. } => Some(
                "ask another holder of the scope `approve`, or the owner at a terminal, to decide it".into(),
            ),
            Self::ArgumentsCut { approval_id, .. } | Self::OtherArguments { approval_id } => {
                Some(format!("show all of them with `palyra approvals show {approval_id} --whole`"))
            }
            Self::NoSuchScope { .. } => Some("approve it once, or for these exact arguments".into()),
            Self::Tampered { .. } => Some("make the call again, and run `palyra journal verify`".into()),
            Self::State(error) => error.hint(),
        }
    }

    /// The word of this error on every face.
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
