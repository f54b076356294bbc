//! What a step takes and what it gives.

use palyra_api::sessions::{Pause, SessionEventBody};
use palyra_models::ModelAnswer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::call::CallOutcome;
use crate::run::RunState;
use crate::surface::SurfaceState;

/// What happened to a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// It is its turn.
    Begin,
    /// The local router matched the message to tools.
    Routed(Routed),
    /// The model answered.
    Answered(Box<ModelAnswer>),
    /// The model did not answer, or not to the end.
    ModelFailed {
        /// Reason.
        reason: String,
    },
    /// A call ended, or needs a person first.
    CallEnded {
        /// Which one.
        call_id: String,
        /// Result.
        outcome: CallOutcome,
    },
    /// A search for tools ended.
    ToolsFound {
        /// The call that searched.
        call_id: String,
        /// The tools, best first.
        tools: Vec<String>,
    },
    /// A pause was answered.
    Decided {
        /// Which one.
        pause_id: String,
        /// How.
        verdict: Verdict,
        /// By whom.
        by: Option<String>,
    },
    /// A person stops the run.
    Stop {
        /// Principal.
        by: String,
    },
    /// The process that ran it before is gone.
    Resume {
        /// What became of the calls that were running, by their ids.
        found: Vec<(String, Found)>,
    },
    /// Time passed.
    Clock,
}

/// What the local router says of a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Routed {
    /// Tools with arguments from the text, best first.
    pub candidates: Vec<Candidate>,
    /// Whether the first one is clearly ahead.
    pub clear: bool,
}

/// A tool that the local router proposes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The tool.
    pub tool_id: String,
    /// Arguments that were found in the text.
    pub arguments: Map<String, Value>,
}

/// How a person answered a pause.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// Yes.
    Yes,
    /// No.
    No,
    /// The question timed out.
    Expired,
    /// The values of a form, checked against it; secrets are references into the vault.
    Values(Map<String, Value>),
}

/// What became of a call whose process is gone.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// It never began, so it had no effect.
    NotBegun,
    /// It has a receipt.
    Ended(CallOutcome),
    /// It was closed as interrupted: it may have had an effect.
    Interrupted,
}

/// What follows from an input: written in one transaction, then carried out.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The run after the step.
    pub run: RunState,
    /// Events for clients, in order.
    pub events: Vec<SessionEventBody>,
    /// Pauses that are new or were answered.
    pub pauses: Vec<Pause>,
    /// Surfaces that are new or changed.
    pub surfaces: Vec<SurfaceState>,
    /// What to do once it is written.
    pub effects: Vec<Effect>,
}

/// Something outside the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Ask the model ([`crate::model_request`]); the answer is [`Input::Answered`] or [`Input::ModelFailed`].
    Think,
    /// Match the message to tools; the answer is [`Input::Routed`].
    Route,
    /// Search for tools; the answer is [`Input::ToolsFound`].
    Search {
        /// The call that searches.
        call_id: String,
        /// Purpose.
        query: String,
    },
    /// Call a tool; the answer is [`Input::CallEnded`].
    Call {
        /// The call.
        call_id: String,
    },
    /// Drop the stream of the model and cancel calls that run.
    Abort,
}
