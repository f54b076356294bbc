//! What a failed delivery means for its binding.

use palyra_common::WasmPluginRunError as Run;
use palyra_state::call::CallError;

use crate::problem::sentence;

/// What a failed delivery means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Failure {
    /// Trying again changes nothing before somebody changes the state.
    Hold(String),
    /// It may go better the next time.
    Again {
        /// Why it failed.
        reason: String,
        /// Whether it counts as one of the binding's attempts.
        counts: bool,
    },
}

impl From<&CallError> for Failure {
    fn from(error: &CallError) -> Self {
        let reason = sentence(error);
        match error {
            CallError::Run(Run::NotRunnable { .. } | Run::NotFound { .. } | Run::Disabled { .. })
            | CallError::Denied { .. }
            | CallError::Gated(_) => Self::Hold(reason),
            CallError::Run(Run::Busy { .. }) | CallError::State(_) => Self::Again { reason, counts: false },
            CallError::Run(_) => Self::Again { reason, counts: true },
        }
    }
}
