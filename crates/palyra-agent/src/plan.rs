//! Input and output of a step.

use palyra_api::sessions::{Pause, SessionEventBody};
use palyra_models::ModelAnswer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::call::CallOutcome;
use crate::run::RunState;
use crate::surface::SurfaceState;

/// An event that a run reacts to.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// The session has no other run in progress, so this one can start.
    Begin,
    /// The local router matched the message to tools.
    Routed(Routed),
    /// The model answered.
    Answered(Box<ModelAnswer>),
    /// The request to the model failed or was incomplete.
    ModelFailed {
        /// Error message for the person.
        reason: String,
    },
    /// A call ended or requires approval.
    CallEnded {
        /// Id of the call.
        call_id: String,
        /// Outcome of the call.
        outcome: CallOutcome,
    },
    /// A search for tools ended.
    ToolsFound {
        /// Id of the call that searched.
        call_id: String,
        /// Ids of the tools, best first.
        tools: Vec<String>,
    },
    /// A pause was answered.
    Decided {
        /// Id of the pause.
        pause_id: String,
        /// The answer.
        verdict: Verdict,
        /// Name of the answering principal; `None` for a timeout.
        by: Option<String>,
    },
    /// A principal stops the run.
    Stop {
        /// Name of the principal.
        by: String,
    },
    /// The process that executed the run ended.
    Resume {
        /// State of each call that was running, by call id.
        found: Vec<(String, Found)>,
    },
    /// The deadline of a pause or of the run may have passed.
    Clock,
}

/// Result of matching a message to tools with the local router.
#[derive(Debug, Clone, PartialEq)]
pub struct Routed {
    /// Tools with arguments from the text, best first.
    pub candidates: Vec<Candidate>,
    /// True if the first candidate is clearly ahead of the others.
    pub clear: bool,
}

/// A tool proposed by the local router or a small model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Full id of the tool.
    pub tool_id: String,
    /// Arguments found in the text; may be incomplete.
    pub arguments: Map<String, Value>,
}

/// Answer to a pause.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Approved or confirmed.
    Yes,
    /// Denied.
    No,
    /// Not answered in time, which counts as a denial.
    Expired,
    /// The values of a form, checked against it; secrets are references into the vault.
    Values(Map<String, Value>),
}

/// State of a call after the process that executed it ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// The call never started, so it had no effect.
    NotBegun,
    /// The call has a receipt.
    Ended(CallOutcome),
    /// The run of the call was closed as interrupted: it may have had an effect.
    Interrupted,
}

/// The result of a step: written in one transaction, then its effects are carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The run after the step.
    pub run: RunState,
    /// Events for clients, in order.
    pub events: Vec<SessionEventBody>,
    /// New and answered pauses.
    pub pauses: Vec<Pause>,
    /// New and changed surfaces.
    pub surfaces: Vec<SurfaceState>,
    /// Effects to carry out after the plan is written.
    pub effects: Vec<Effect>,
}

/// An action outside the run, carried out by the owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Send [`crate::model_request`] to the model; the answer is [`Input::Answered`] or [`Input::ModelFailed`].
    Think,
    /// Match the message to tools; the answer is [`Input::Routed`].
    Route,
    /// Search for tools; the answer is [`Input::ToolsFound`].
    Search {
        /// Id of the call that searches.
        call_id: String,
        /// Text that the search matches.
        query: String,
    },
    /// Call a tool; the answer is [`Input::CallEnded`].
    Call {
        /// Id of the call.
        call_id: String,
    },
    /// Cancel the request to the model and the calls in progress.
    Abort,
}
