//! Why nothing was decided.

use palyra_common::ErrorCode;
use std::sync::Arc;

use palyra_policy::PolicyDecision;

use super::{ApprovalScope, ApprovalStatus};
use crate::error::StateError;

/// Why an approval was not decided or not found.
#[derive(Debug, thiserror::Error)]
pub enum ApprovalError {
    /// There is none of this id.
    #[error("there is no approval `{approval_id}`")]
    NotFound {
        /// The id, escaped.
        approval_id: String,
    },
    /// Somebody was faster, or time ran out.
    #[error("approval `{approval_id}` is {} already", status.as_str())]
    Decided {
        /// The id.
        approval_id: String,
        /// What became of it.
        status: ApprovalStatus,
    },
    /// The access policy says no: whoever asked cannot answer, for one.
    #[error("{decision}")]
    Denied {
        /// The id.
        approval_id: String,
        /// What was decided, and by which rules.
        decision: Arc<PolicyDecision>,
    },
    /// The one who decides is the one who asked.
    #[error("approval `{approval_id}` cannot be decided by its requester")]
    OwnRequest {
        /// The id.
        approval_id: String,
    },
    /// Lists cut the arguments, and the one who decides did not say that it saw them whole.
    #[error(
        "the arguments of approval `{approval_id}` have {bytes} bytes, {omitted} of which are not shown: \
         a yes has to name the SHA-256 of the whole"
    )]
    ArgumentsCut {
        /// The id.
        approval_id: String,
        /// The length of the whole arguments.
        bytes: u64,
        /// How much of it lists leave out.
        omitted: u64,
    },
    /// The one who decides looked at other arguments.
    #[error("the SHA-256 that was named is not that of the arguments of approval `{approval_id}`")]
    OtherArguments {
        /// The id.
        approval_id: String,
    },
    /// The call belongs to no run or session a yes could reach over.
    #[error("approval `{approval_id}` cannot be given for a {}", if *scope == ApprovalScope::Run { "run" } else { "session" })]
    NoSuchScope {
        /// The id.
        approval_id: String,
        /// The scope.
        scope: ApprovalScope,
    },
    /// The row is not as the owner wrote it.
    #[error("approval `{approval_id}` has an invalid MAC (modified outside Palyra)")]
    Tampered {
        /// The id.
        approval_id: String,
    },
    /// The state itself.
    #[error(transparent)]
    State(#[from] StateError),
}

impl ApprovalError {
    /// What a person can do, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NotFound { .. } => Some("see what waits with `palyra approvals list`".into()),
            Self::Decided { .. } => Some("make the call again to create a new request".into()),
            Self::Denied { decision, .. } => decision.reasons.first().map(|reason| reason.advice.clone()),
            Self::OwnRequest { .. } => Some(
                "ask another holder of the scope `approve`, or the owner at a terminal, to decide it".into(),
            ),
            Self::ArgumentsCut { approval_id, .. } | Self::OtherArguments { approval_id } => {
                Some(format!("look at all of them with `palyra approvals show {approval_id} --whole`"))
            }
            Self::NoSuchScope { .. } => Some("approve it once, or for these exact arguments".into()),
            Self::Tampered { .. } => Some("make the call again, and look at `palyra journal verify`".into()),
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
