//! One step of a run: from an input to a plan.

mod calls;
mod model;
mod pauses;
mod resume;
mod router;
mod small;

use palyra_api::sessions::{AgentRunStatus, MessageRole, PauseStatus, SessionEventBody, ToolCallStatus};
use palyra_models::Message;

use crate::call::{Call, CallState};
use crate::plan::{Effect, Input, Plan};
use crate::run::RunState;
use crate::tool::ToolCard;

/// The surroundings of a run that a step depends on.
#[derive(Debug, Clone, Copy)]
pub struct World<'w> {
    /// Current time in Unix milliseconds.
    pub now_ms: u64,
    /// Every tool that the session may use now.
    pub tools: &'w [ToolCard],
}

/// Computes the plan for one input.
///
/// The stored run is not modified. An input that does not fit the state of the run, such as a late answer, results in
/// an empty plan.
pub fn step(run: &RunState, input: Input, world: World<'_>) -> Plan {
    let mut step = Step {
        run: run.clone(),
        events: Vec::new(),
        pauses: Vec::new(),
        surfaces: Vec::new(),
        effects: Vec::new(),
        world,
    };
    if !run.status.is_final() {
        // The time in which no process executed the run does not count.
        if !matches!(input, Input::Resume { .. }) {
            step.read_clock();
        }
        step.take(input);
        step.set_clock();
    }
    let Step { run, events, pauses, surfaces, effects, .. } = step;
    Plan { run, events, pauses, surfaces, effects }
}

/// A plan under construction.
struct Step<'w> {
    run: RunState,
    events: Vec<SessionEventBody>,
    pauses: Vec<palyra_api::sessions::Pause>,
    surfaces: Vec<crate::surface::SurfaceState>,
    effects: Vec<Effect>,
    world: World<'w>,
}

impl<'w> Step<'w> {
    fn take(&mut self, input: Input) {
        // An ended call is always recorded, also if another process started it or the time limit is exceeded.
        let over_time = self.is_over_time();
        if over_time && !matches!(input, Input::Stop { .. } | Input::CallEnded { .. } | Input::Resume { .. })
        {
            return self.out_of_time();
        }
        match input {
            Input::Begin if self.run.status == AgentRunStatus::Queued => self.begin(),
            Input::Routed(routed) if self.run.status == AgentRunStatus::Thinking => self.routed(routed),
            Input::Answered(answer) if self.run.status == AgentRunStatus::Thinking => {
                if self.is_small() {
                    self.small_model_answered(*answer);
                } else {
                    self.answered(*answer);
                }
            }
            Input::ModelFailed { reason } if self.run.status == AgentRunStatus::Thinking => {
                self.finish(AgentRunStatus::Failed, Some(reason));
            }
            Input::CallEnded { call_id, outcome } => self.call_ended(&call_id, outcome),
            Input::ToolsFound { call_id, tools } => self.tools_found(&call_id, tools),
            Input::Decided { pause_id, verdict, by } => self.decided(&pause_id, verdict, by),
            Input::Stop { by } => {
                self.finish(AgentRunStatus::Cancelled, Some(format!("stopped by {by}")));
            }
            Input::Resume { found } => self.resume(found),
            Input::Clock => self.expire_pause(),
            // Late or repeated inputs are ignored.
            Input::Begin | Input::Routed(_) | Input::Answered(_) | Input::ModelFailed { .. } => {}
        }
    }

    fn begin(&mut self) {
        let text = self.run.text.clone();
        self.run.messages.push(Message::user(text.clone()));
        self.say(MessageRole::User, text);
        self.think();
    }

    /// Requests the next answer from the model, or from the router if there is no model.
    fn think(&mut self) {
        if !self.model_goes_on() {
            self.run.status = AgentRunStatus::Thinking;
            return self.effects.push(Effect::Route);
        }
        self.ask_model();
    }

    /// Requests an answer of the model, within the budget.
    fn ask_model(&mut self) {
        if self.run.used.turns >= self.run.budget.turns {
            return self.out_of_budget("its limit on model requests is reached");
        }
        if self.run.used.input_tokens.saturating_add(self.run.used.output_tokens) >= self.run.budget.tokens {
            return self.out_of_budget("its token limit is reached");
        }
        self.run.status = AgentRunStatus::Thinking;
        self.run.used.turns += 1;
        self.effects.push(Effect::Think);
    }

    /// Ends the run with its open pause and calls.
    fn finish(&mut self, status: AgentRunStatus, reason: Option<String>) {
        self.close_pause(PauseStatus::Cancelled, None);
        let open: Vec<Call> = self.run.calls.iter().filter(|call| !call.has_ended()).cloned().collect();
        for call in open {
            match call.state {
                CallState::Doubtful => self.close_doubtful(&call),
                _ => self.end_call(&call.call_id, ToolCallStatus::Cancelled, "the run ended".to_owned()),
            }
            if call.is_running() {
                self.tell_end(&call, ToolCallStatus::Cancelled, None, None, None);
            }
        }
        self.keep_conversation_whole();
        if matches!(self.run.status, AgentRunStatus::Thinking | AgentRunStatus::Calling) {
            self.effects = vec![Effect::Abort];
        } else {
            self.effects.clear();
        }
        self.run.status = status;
        self.run.reason = reason.clone();
        self.run.finished_ms = Some(self.world.now_ms);
        self.events.push(SessionEventBody::Usage { used: self.run.used });
        self.events.push(SessionEventBody::RunFinished { status, reason });
    }

    fn out_of_time(&mut self) {
        self.out_of_budget("its time limit is reached");
    }

    fn out_of_budget(&mut self, why: &str) {
        self.finish(AgentRunStatus::OutOfBudget, Some(why.to_owned()));
    }

    fn say(&mut self, role: MessageRole, text: String) {
        let message_id = self.next_id("msg");
        self.events.push(SessionEventBody::MessageCompleted { message_id, role, text });
    }

    fn next_id(&mut self, prefix: &str) -> String {
        let number = self.run.next_number;
        self.run.next_number += 1;
        format!("{prefix}_{number}")
    }

    fn tool(&self, name: &str) -> Option<&'w ToolCard> {
        self.world.tools.iter().find(|tool| tool.model_name == name || tool.tool_id == name)
    }

    fn end_call(&mut self, call_id: &str, status: ToolCallStatus, text: String) {
        if let Some(call) = self.run.calls.iter_mut().find(|call| call.call_id == call_id) {
            call.state = CallState::Ended { status, text };
        }
    }

    /// Adds missing results, because providers reject a conversation with an unanswered tool call.
    fn keep_conversation_whole(&mut self) {
        let results: Vec<Message> = self.run.calls.iter().filter_map(calls::result_message).collect();
        self.run.messages.extend(results);
        self.run.calls.clear();
        let Some(last) =
            self.run.messages.iter().rposition(|message| matches!(message, Message::Assistant { .. }))
        else {
            return;
        };
        let (before, after) = self.run.messages.split_at(last + 1);
        let Some(Message::Assistant { tool_calls, .. }) = before.last() else { return };
        let has_result = |id: &str| {
            after
                .iter()
                .any(|message| matches!(message, Message::ToolResult { call_id, .. } if call_id == id))
        };
        let missing: Vec<Message> = tool_calls
            .iter()
            .filter(|call| !has_result(&call.id))
            .map(|call| Message::ToolResult {
                call_id: call.id.clone(),
                text: "The call was not made.".to_owned(),
                is_error: true,
            })
            .collect();
        self.run.messages.extend(missing);
    }

    /// Adds the time since the last reading, unless the run was paused.
    fn read_clock(&mut self) {
        if let Some(since) = self.run.clock_ms {
            let passed = self.world.now_ms.saturating_sub(since);
            self.run.used.wall_clock_ms = self.run.used.wall_clock_ms.saturating_add(passed);
        }
    }

    fn set_clock(&mut self) {
        let counts = matches!(self.run.status, AgentRunStatus::Thinking | AgentRunStatus::Calling);
        self.run.clock_ms = counts.then_some(self.world.now_ms);
    }

    fn is_over_time(&self) -> bool {
        self.run.used.wall_clock_ms >= self.run.budget.wall_clock_ms
    }
}
