//! The stored form of an agent run, with everything needed to continue it in another process.

use palyra_api::sessions::{AgentBudget, AgentRun, AgentRunStatus, AgentUse, Pause, SessionLabels};
use palyra_models::Message;
use serde::{Deserialize, Serialize};

use crate::call::{Call, CallState};
use crate::guard::LoopGuard;
use crate::plan::Candidate;

/// An agent run. The owner of the state root stores it as a sealed row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// `agr_` and a time-sorted random part.
    pub run_id: String,
    /// Session of the run.
    pub session_id: String,
    /// Progress of the run.
    pub status: AgentRunStatus,
    /// The message that started the run.
    pub text: String,
    /// Name of the model; `None` to use the local router.
    pub model: Option<String>,
    /// True if the model only fills in arguments of tools that the router ranked.
    #[serde(default)]
    pub small_model: bool,
    /// Limits of the run.
    pub budget: AgentBudget,
    /// Turns, tokens, calls and time used so far.
    pub used: AgentUse,
    /// Labels of the session, including data that this run read.
    pub labels: SessionLabels,
    /// Conversation of this run.
    pub messages: Vec<Message>,
    /// Calls of the latest proposal, in order.
    pub calls: Vec<Call>,
    /// The open pause, if the run waits for a person.
    pub pause: Option<Pause>,
    /// Tools that the router offers to choose from.
    pub candidates: Vec<Candidate>,
    /// Tools that `search_tools` found, which are offered in addition to the selected ones.
    pub found_tools: Vec<String>,
    /// Surface with a form to fill in, from the latest batch of calls.
    pub open_form: Option<OpenForm>,
    /// Number of answers of the model with an invalid proposal.
    pub invalid_answers: u32,
    /// Detects repeated calls.
    pub guard: LoopGuard,
    /// Reason of the end, unless the run finished.
    pub reason: Option<String>,
    /// Next number for the ids of calls, messages and pauses, which share one sequence.
    pub next_number: u32,
    /// Time up to which the use of time is counted, in Unix milliseconds; `None` while paused or queued.
    pub clock_ms: Option<u64>,
    /// Creation time in Unix milliseconds.
    pub created_ms: u64,
    /// End time in Unix milliseconds.
    pub finished_ms: Option<u64>,
}

/// A form that has to be filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenForm {
    /// Name of the surface.
    pub surface: String,
    /// Revision of the surface; values for another revision are rejected.
    pub rev: u64,
    /// Tool that receives the values, if the form names one.
    pub tool_id: Option<String>,
    /// SHA-256 of the document that was shown.
    pub shown: String,
}

impl RunState {
    /// Creates a queued run for a message.
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

    /// Returns the call with this id.
    pub fn call(&self, call_id: &str) -> Option<&Call> {
        self.calls.iter().find(|call| call.call_id == call_id)
    }

    /// Sets the id of the tool's run for a call that is about to start, so that a resumed process can find that run.
    pub fn name_run(&mut self, call_id: &str, id: String) {
        let call = self.calls.iter_mut().find(|call| call.call_id == call_id);
        if let Some(CallState::Running { tool_run_id, .. }) = call.map(|call| &mut call.state) {
            *tool_run_id = Some(id);
        }
    }

    /// Returns the milliseconds until the pause or the time limit expires; `None` for a run that has ended.
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

    /// Returns the run in its API form.
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
