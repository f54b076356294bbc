//! An agent run as it is stored: everything needed to take it up again.

use palyra_api::sessions::{AgentBudget, AgentRun, AgentRunStatus, AgentUse, Pause, SessionLabels};
use palyra_models::Message;
use serde::{Deserialize, Serialize};

use crate::call::Call;
use crate::guard::LoopGuard;
use crate::plan::Candidate;

/// An agent run; the owner of the state root keeps it as a sealed row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// Its id.
    pub run_id: String,
    /// The session.
    pub session_id: String,
    /// Status.
    pub status: AgentRunStatus,
    /// The person's message.
    pub text: String,
    /// The model that answers; the local router where there is none.
    pub model: Option<String>,
    /// Whether the model only fills in the arguments of tools that the router ranks.
    #[serde(default)]
    pub small_model: bool,
    /// Limits.
    pub budget: AgentBudget,
    /// Use so far.
    pub used: AgentUse,
    /// The labels of the session, with what this run read.
    pub labels: SessionLabels,
    /// Its part of the conversation.
    pub messages: Vec<Message>,
    /// The calls of the last proposal, in order.
    pub calls: Vec<Call>,
    /// Reason for waiting.
    pub pause: Option<Pause>,
    /// Tools that the router still offers to choose from.
    pub candidates: Vec<Candidate>,
    /// Tools that `search_tools` found, besides those that were selected.
    pub found_tools: Vec<String>,
    /// The surface with a form that the last batch of calls left behind.
    pub open_form: Option<OpenForm>,
    /// Answers of the model with an invalid proposal.
    pub invalid_answers: u32,
    /// What was called before.
    pub guard: LoopGuard,
    /// Reason of the end, if it did not finish.
    pub reason: Option<String>,
    /// Calls, messages and pauses are numbered in one sequence.
    pub next_number: u32,
    /// When its clock was last read, while it is not paused.
    pub clock_ms: Option<u64>,
    /// Time at which it was created, in Unix milliseconds.
    pub created_ms: u64,
    /// End time.
    pub finished_ms: Option<u64>,
}

/// A form that waits to be filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenForm {
    /// The surface.
    pub surface: String,
    /// Its revision.
    pub rev: u64,
    /// The tool that its values are for, if the form names one.
    pub tool_id: Option<String>,
    /// SHA-256 of the document.
    pub shown: String,
}

impl RunState {
    /// A run for a message, queued.
    pub fn new(run_id: String, session_id: String, text: String, now_ms: u64) -> Self {
        Self {
            run_id,
            session_id,
            status: AgentRunStatus::Queued,
            text,
            model: None,
            small_model: false,
            budget: AgentBudget::default(),
            used: AgentUse::default(),
            labels: SessionLabels::default(),
            messages: Vec::new(),
            calls: Vec::new(),
            pause: None,
            candidates: Vec::new(),
            found_tools: Vec::new(),
            open_form: None,
            invalid_answers: 0,
            guard: LoopGuard::default(),
            reason: None,
            next_number: 1,
            clock_ms: None,
            created_ms: now_ms,
            finished_ms: None,
        }
    }

    /// The call with an id.
    pub fn call(&self, call_id: &str) -> Option<&Call> {
        self.calls.iter().find(|call| call.call_id == call_id)
    }

    /// After how many milliseconds time alone changes something; none for a run that has ended.
    pub fn wake_in_ms(&self, now_ms: u64) -> Option<u64> {
        if self.status.is_final() {
            return None;
        }
        Some(match &self.pause {
            Some(pause) => pause.expires_ms.saturating_sub(now_ms),
            None => {
                let counted = self.clock_ms.map_or(0, |since| now_ms.saturating_sub(since));
                self.budget.wall_clock_ms.saturating_sub(self.used.wall_clock_ms.saturating_add(counted))
            }
        })
    }

    /// The run as clients see it.
    pub fn to_api(&self) -> AgentRun {
        let Self {
            run_id,
            session_id,
            status,
            model,
            budget,
            used,
            pause,
            reason,
            created_ms,
            finished_ms,
            ..
        } = self.clone();
        AgentRun { run_id, session_id, status, model, budget, used, pause, reason, created_ms, finished_ms }
    }
}
