//! One proposed call of a run, from the proposal to its outcome.

use palyra_a2ui::A2uiDocument;
use palyra_api::sessions::{SessionLabels, ToolCallStatus};
use serde::{Deserialize, Serialize};

use crate::surface::SurfaceState;
use crate::tool::ToolAccess;

/// A call; its arguments were checked against the schema of the tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// Names it within its run.
    pub call_id: String,
    /// Its name in the conversation with the model; none for a call that a person made through a form.
    pub model_id: Option<String>,
    /// The tool.
    pub tool_id: String,
    /// The skill of the tool.
    pub skill_id: String,
    /// The canonical arguments.
    pub arguments: String,
    /// What runs of the tool may do.
    pub access: ToolAccess,
    /// Status.
    pub state: CallState,
}

/// How a call stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum CallState {
    /// It may begin.
    Proposed,
    /// It was handed to the call pipeline.
    Running {
        /// Time in Unix milliseconds.
        since_ms: u64,
    },
    /// The call pipeline wants a person's yes.
    WantsApproval {
        /// The approval.
        approval_id: String,
        /// Until when it can be decided.
        expires_ms: u64,
    },
    /// The daemon ended while it ran: a person says whether it runs again.
    Doubtful,
    /// It ended.
    Ended {
        /// How.
        status: ToolCallStatus,
        /// Text for the model: the output or the error.
        text: String,
    },
}

/// Result of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallOutcome {
    /// It gave a result.
    Completed {
        /// The run of the tool.
        tool_run_id: String,
        /// The output as JSON text.
        output: String,
        /// The output as a document, where the tool returns one.
        document: Option<A2uiDocument>,
        /// The surface of that name in the session, if there is one.
        replaces: Option<Box<SurfaceState>>,
        /// What the run read.
        labels: SessionLabels,
    },
    /// It ran and gave none.
    Failed {
        /// The run of the tool.
        tool_run_id: Option<String>,
        /// The error.
        error: String,
        /// What the run could have read.
        labels: SessionLabels,
    },
    /// It did not run.
    Refused {
        /// Reason.
        error: String,
    },
    /// A person has to decide first.
    NeedsApproval {
        /// The approval.
        approval_id: String,
        /// Until when it can be decided.
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
