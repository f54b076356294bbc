//! Answers of the model: text, and proposals that are checked before they have an effect.

use palyra_api::sessions::{AgentRunStatus, MessageRole, SessionEventBody};
use palyra_common::redact::escape_untrusted;
use palyra_models::{Message, ModelAnswer, StopReason, ToolCall};
use serde_json::Value;

use super::Step;
use crate::arguments;
use crate::call::{Call, CallState};
use crate::conversation::{SEARCH_TOOLS, clip};
use crate::plan::Effect;
use crate::tool::ToolAccess;

/// Number of answers with an invalid proposal that are returned to the model; one more ends the run.
pub(super) const MOST_INVALID_ANSWERS: u32 = 2;
/// Maximum number of calls in one answer; more are rejected.
const MOST_PROPOSALS: usize = 32;
/// Maximum bytes of arguments in an event.
const SHOWN_ARGUMENTS: usize = 4 << 10;

impl Step<'_> {
    pub(super) fn answered(&mut self, answer: ModelAnswer) {
        if let Some(usage) = answer.usage {
            self.run.used.input_tokens = self.run.used.input_tokens.saturating_add(usage.input_tokens);
            self.run.used.output_tokens = self.run.used.output_tokens.saturating_add(usage.output_tokens);
        }
        if !answer.text.is_empty() {
            self.say(MessageRole::Assistant, answer.text.clone());
        }
        let (stop, calls) = (answer.stop.clone(), answer.tool_calls.clone());
        self.run.messages.push(answer.into_message());
        if calls.is_empty() {
            return self.ended_turn(stop);
        }
        self.run.status = AgentRunStatus::Calling;
        let mut invalid = false;
        for (number, call) in calls.into_iter().enumerate() {
            invalid |= !self.propose(call, number >= MOST_PROPOSALS);
            if self.run.status.is_final() {
                return;
            }
        }
        if invalid {
            self.run.invalid_answers += 1;
            if self.run.invalid_answers > MOST_INVALID_ANSWERS {
                let reason = format!("the model made invalid proposals {} times", self.run.invalid_answers);
                return self.finish(AgentRunStatus::Failed, Some(reason));
            }
        }
        self.advance();
    }

    fn ended_turn(&mut self, stop: Option<StopReason>) {
        match stop {
            Some(StopReason::EndTurn | StopReason::ToolCalls) => self.finish(AgentRunStatus::Finished, None),
            Some(StopReason::MaxOutputTokens) => {
                self.out_of_budget("the response exceeds the output limit of the model");
            }
            Some(StopReason::Refusal) => {
                self.finish(AgentRunStatus::Failed, Some("the model declined to answer".into()));
            }
            Some(StopReason::Other(reason)) => {
                let reason = escape_untrusted(clip(&reason, 200).0);
                self.finish(AgentRunStatus::Failed, Some(format!("the model stopped: {reason}")));
            }
            None => self.finish(
                AgentRunStatus::Failed,
                Some(
                    "the response of the model is \
                incomplete"
                        .into(),
                ),
            ),
        }
    }

    /// Processes one proposal; returns false if it is invalid and returned to the model.
    fn propose(&mut self, proposed: ToolCall, too_many: bool) -> bool {
        let call_id = self.next_id("call");
        if too_many {
            return self.invalid(
                &call_id,
                &proposed,
                format!("more than {MOST_PROPOSALS} calls in one response"),
            );
        }
        if proposed.name == SEARCH_TOOLS {
            return self.propose_search(call_id, proposed);
        }
        let Some(tool) = self.tool(&proposed.name) else {
            return self.invalid(&call_id, &proposed, "unknown tool".into());
        };
        let arguments = match arguments::check(tool, &proposed.arguments, self.world.tools) {
            Ok(arguments) => arguments,
            Err(error) => return self.invalid(&call_id, &proposed, error.to_string()),
        };
        self.add_call(Call {
            call_id,
            model_id: Some(proposed.id),
            tool_id: tool.tool_id.clone(),
            skill_id: tool.skill_id.clone(),
            arguments,
            access: tool.access,
            state: CallState::Proposed,
        });
        true
    }

    /// Adds a call, or ends the run if it is repeated too often.
    pub(super) fn add_call(&mut self, call: Call) {
        self.tell_proposal(&call.call_id, &call.tool_id, &call.arguments, None);
        // Each submit of a form is the decision of a person; only a model loops.
        let repeats = call.model_id.is_some() && self.run.guard.note(&call.tool_id, &call.arguments);
        let tool_id = call.tool_id.clone();
        self.run.calls.push(call);
        if repeats {
            let reason = format!("the same call of `{tool_id}` was proposed three times in a row");
            self.finish(AgentRunStatus::Failed, Some(reason));
        }
    }

    fn propose_search(&mut self, call_id: String, proposed: ToolCall) -> bool {
        let read: Option<Value> = serde_json::from_str(&proposed.arguments).ok();
        let query = read.as_ref().and_then(|read| read.get("query")).and_then(Value::as_str);
        let Some(query) = query.map(|query| clip(query, 400).0.to_owned()) else {
            return self.invalid(&call_id, &proposed, "`query` is not a string".into());
        };
        let now_ms = self.world.now_ms;
        self.add_call(Call {
            call_id: call_id.clone(),
            model_id: Some(proposed.id),
            tool_id: SEARCH_TOOLS.to_owned(),
            skill_id: String::new(),
            arguments: proposed.arguments,
            access: ToolAccess::default(),
            state: CallState::Running { since_ms: now_ms, tool_run_id: None },
        });
        if !self.run.status.is_final() {
            self.effects.push(Effect::Search { call_id, query });
        }
        true
    }

    fn invalid(&mut self, call_id: &str, proposed: &ToolCall, reason: String) -> bool {
        let name = escape_untrusted(clip(&proposed.name, 100).0);
        self.tell_proposal(call_id, &name, &proposed.arguments, Some(reason.clone()));
        self.run.messages.push(Message::ToolResult {
            call_id: proposed.id.clone(),
            text: format!("The call was not made: {reason}"),
            is_error: true,
        });
        false
    }

    fn tell_proposal(&mut self, call_id: &str, tool_id: &str, arguments: &str, invalid: Option<String>) {
        let arguments = escape_untrusted(clip(arguments, SHOWN_ARGUMENTS).0);
        let (call_id, tool_id) = (call_id.to_owned(), tool_id.to_owned());
        self.events.push(SessionEventBody::ToolProposed { call_id, tool_id, arguments, invalid });
    }
}
