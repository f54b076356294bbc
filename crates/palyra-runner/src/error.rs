//! Errors of a call.

use std::sync::Arc;

use palyra_common::{ErrorCode, WasmPluginRunError};
use palyra_policy::PolicyDecision;
use palyra_state::{SkillError, StateError};

use super::GateRefusal;

/// Error of a call.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum CallError {
    /// The call was rejected before a run started.
    #[error(transparent)]
    Run(#[from] WasmPluginRunError),
    /// A run started and failed; it has a receipt.
    #[error("{}", .0.error)]
    Failed(Box<FailedRun>),
    /// The state cannot be read or written.
    #[error(transparent)]
    State(#[from] StateError),
    /// The access policy denies the call.
    #[error("{decision}")]
    Denied {
        skill_id: String,
        tool_id: String,
        /// The decision and its rules.
        decision: Arc<PolicyDecision>,
    },
    /// A gate denied the call or failed.
    #[error("{0}")]
    Gated(Box<GateRefusal>),
}

/// A run that ended without a result.
#[derive(Debug, Clone)]
pub struct FailedRun {
    /// Id of its row, receipt and tape.
    pub run_id: String,
    /// Fuel it used, which is charged to its budget.
    pub fuel: u64,
    /// Cause of the failure.
    pub error: WasmPluginRunError,
}

impl CallError {
    /// Returns why the run was rejected or failed; `None` for errors of the state, the policy and gates.
    pub fn run_error(&self) -> Option<&WasmPluginRunError> {
        match self {
            Self::Run(error) => Some(error),
            Self::Failed(run) => Some(&run.error),
            Self::State(_) | Self::Denied { .. } | Self::Gated(_) => None,
        }
    }

    /// Returns the failed run; `None` if no run was started.
    pub fn failed_run(&self) -> Option<&FailedRun> {
        match self {
            Self::Failed(run) => Some(run),
            Self::Run(_) | Self::State(_) | Self::Denied { .. } | Self::Gated(_) => None,
        }
    }

    /// Returns the error code that every transport reports.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Run(error) => error.kind().into(),
            Self::Failed(run) => run.error.kind().into(),
            Self::State(error) => error.code(),
            Self::Denied { .. } | Self::Gated(_) => ErrorCode::Forbidden,
        }
    }
}

impl From<SkillError> for CallError {
    fn from(error: SkillError) -> Self {
        match error {
            SkillError::State(error) => Self::State(error),
            SkillError::NotInstalled { skill_id } => {
                WasmPluginRunError::NotFound { what: "skill", name: skill_id, known: Vec::new() }.into()
            }
            SkillError::Damaged { skill_id, reason } => {
                let remedy = "install it again from its `.palyra-skill` file, then enable it".into();
                WasmPluginRunError::NotRunnable { name: skill_id, reason, remedy }.into()
            }
            other => WasmPluginRunError::Internal(other.to_string()).into(),
        }
    }
}
