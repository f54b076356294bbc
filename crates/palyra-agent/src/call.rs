//! A proposed call of a run, from the proposal to its outcome.

use palyra_a2ui::A2uiDocument;
use palyra_api::sessions::{SessionLabels, ToolCallStatus};
use serde::{Deserialize, Serialize};

use crate::surface::SurfaceState;
use crate::tool::ToolAccess;

/// A call whose arguments match the schema of its tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Id within the run, such as `call_3`.
    pub call_id: String,
    /// Id in the conversation with the model; `None` for a call that a person made through a form.
    pub model_id: Option<String>,
    /// Full id of the tool, or `search_tools`.
    pub tool_id: String,
    /// Skill that owns the tool; empty for `search_tools`.
    pub skill_id: String,
    /// Canonical arguments as JSON text.
    pub arguments: String,
    /// Side effects that the grants of the tool permit.
    pub access: ToolAccess,
    /// Progress of the call.
    pub state: CallState,
}

/// Progress of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum CallState {
    /// Ready to start.
    Proposed,
    /// Passed to the call pipeline.
    Running {
        /// Start time in Unix milliseconds.
        since_ms: u64,
        /// Id of the tool's run, chosen before it starts; `None` in rows of earlier versions.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_run_id: Option<String>,
    },
    /// The call pipeline requires the approval of a person.
    WantsApproval {
        /// Id of the approval request.
        approval_id: String,
        /// Time until which it can be decided, in Unix milliseconds.
        expires_ms: u64,
    },
    /// The daemon stopped while the call was running, and a person has to decide whether to repeat it.
    Doubtful,
    /// Completed, failed, denied, or otherwise over.
    Ended {
        /// Final status.
        status: ToolCallStatus,
        /// Text for the model: the output or the error.
        text: String,
    },
}

/// Outcome of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcome {
    /// The tool returned a result.
    Completed {
        /// Id of the tool's run.
        tool_run_id: String,
        /// Output as JSON text.
        output: String,
        /// Output as a document, if the tool returns one.
        document: Option<A2uiDocument>,
        /// The existing surface with the document's name, if there is one.
        replaces: Option<Box<SurfaceState>>,
        /// Labels of the data that the run read.
        labels: SessionLabels,
    },
    /// The tool ran without returning a result.
    Failed {
        /// Id of the tool's run, if it is known.
        tool_run_id: Option<String>,
        /// Error message for the model and the person.
        error: String,
        /// Labels of the data that the run may have read.
        labels: SessionLabels,
    },
    /// The call was rejected before the tool ran.
    Refused {
        /// Error message for the model and the person.
        error: String,
    },
    /// A person has to approve the call first.
    NeedsApproval {
        /// Id of the approval request.
        approval_id: String,
        /// Time until which it can be decided, in Unix milliseconds.
        expires_ms: u64,
    },
}

impl Call {
    pub(crate) fn is_running(&self) -> bool {
        matches!(self.state, CallState::Running { .. })
    }

    pub(crate) fn is_proposed(&self) -> bool {
        self.state == CallState::Proposed
    }

    pub(crate) fn has_ended(&self) -> bool {
        matches!(self.state, CallState::Ended { .. })
    }
}
