//! Continues a run after the process that executed it ended.

use palyra_api::sessions::AgentRunStatus;

use super::Step;
use crate::call::{Call, CallState};
use crate::conversation::SEARCH_TOOLS;
use crate::plan::{Effect, Found};

impl Step<'_> {
    /// Repeats a request to the model or the router, which has no effect. A call with a receipt is not repeated; one
    /// without is repeated only if it is read-only or a person confirms it.
    pub(super) fn resume(&mut self, found: Vec<(String, Found)>) {
        match self.run.status {
            AgentRunStatus::Queued => return self.begin(),
            AgentRunStatus::Thinking => {
                // A small model is only asked after the router has ranked tools.
                let ranked = self.is_small() && !self.run.candidates.is_empty();
                let asks_model = self.model_goes_on() || ranked;
                return self.effects.push(if asks_model { Effect::Think } else { Effect::Route });
            }
            AgentRunStatus::Calling => {}
            _ => return,
        }
        let mut ended = Vec::new();
        for (call_id, found) in found {
            let Some(call) = self.run.calls.iter_mut().find(|call| call.call_id == call_id) else { continue };
            if !call.is_running() {
                continue;
            }
            match found {
                Found::NotBegun => {
                    call.state = CallState::Proposed;
                    self.run.used.tool_calls = self.run.used.tool_calls.saturating_sub(1);
                }
                Found::Interrupted if !call.access.writes => call.state = CallState::Proposed,
                Found::Interrupted => call.state = CallState::Doubtful,
                Found::Ended(outcome) => ended.push((call_id, outcome)),
            }
        }
        for call in self.run.calls.iter_mut().filter(|call| call.is_running() && call.tool_id == SEARCH_TOOLS)
        {
            let query = serde_json::from_str::<serde_json::Value>(&call.arguments).unwrap_or_default();
            let query = query.get("query").and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
            self.effects.push(Effect::Search { call_id: call.call_id.clone(), query });
        }
        if ended.is_empty() && !self.run.calls.iter().any(Call::is_running) {
            return if self.is_over_time() { self.out_of_time() } else { self.advance() };
        }
        for (call_id, outcome) in ended {
            self.call_ended(&call_id, outcome);
        }
    }
}
