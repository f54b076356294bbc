//! Runs with a small model: it fills in arguments, and a person decides.

use palyra_api::sessions::{AgentRunStatus, SessionEventBody};
use palyra_common::redact::escape_untrusted;
use palyra_models::ModelAnswer;
use serde_json::{Map, Value};

use super::Step;
use super::model::MOST_INVALID_ANSWERS;
use crate::arguments;
use crate::conversation::clip;
use crate::plan::Candidate;
use crate::small::{SMALL_MODEL_TOOLS, proposed_call};

impl Step<'_> {
    /// Asks the model to choose among the first tools and fill in their arguments.
    pub(super) fn ranked_for_small_model(&mut self, mut candidates: Vec<Candidate>) {
        candidates.truncate(SMALL_MODEL_TOOLS);
        self.run.candidates = candidates;
        self.ask_model();
    }

    /// Shows the proposed call to a person as a form. An answer without a valid call is requested again; after too
    /// many, the router's own proposal is shown.
    pub(super) fn small_model_answered(&mut self, answer: ModelAnswer) {
        if let Some(usage) = answer.usage {
            self.run.used.input_tokens = self.run.used.input_tokens.saturating_add(usage.input_tokens);
            self.run.used.output_tokens = self.run.used.output_tokens.saturating_add(usage.output_tokens);
        }
        match self.filled_in(&answer) {
            Ok(candidate) => {
                self.run.candidates = vec![candidate];
                self.propose_first();
            }
            Err((tool_id, arguments, reason)) => {
                let call_id = self.next_id("call");
                let (tool_id, invalid) = (escape_untrusted(clip(&tool_id, 100).0), Some(reason));
                let arguments = escape_untrusted(clip(&arguments, 1_000).0);
                self.events.push(SessionEventBody::ToolProposed { call_id, tool_id, arguments, invalid });
                self.run.invalid_answers += 1;
                if self.small_model_failed() {
                    self.offer_candidates();
                } else {
                    self.ask_model();
                }
            }
        }
    }

    /// Returns the call of an answer, or tool, arguments and problem of an invalid one.
    fn filled_in(&self, answer: &ModelAnswer) -> Result<Candidate, (String, String, String)> {
        let Some(call) = proposed_call(answer) else {
            let text = answer.text.clone();
            return Err((String::new(), text, "the answer is not a call of a tool".to_owned()));
        };
        let wrong = |reason: String| (call.name.clone(), call.arguments.clone(), reason);
        let ranked = |tool_id: &str| self.run.candidates.iter().any(|candidate| candidate.tool_id == tool_id);
        let tool = self.tool(&call.name).filter(|tool| ranked(&tool.tool_id));
        let tool = tool.ok_or_else(|| wrong("the tool was not offered".to_owned()))?;
        let checked = arguments::check(tool, &call.arguments, self.world.tools);
        let checked = checked.map_err(|error| wrong(error.to_string()))?;
        let arguments: Map<String, Value> = serde_json::from_str(&checked).unwrap_or_default();
        Ok(Candidate { tool_id: tool.tool_id.clone(), arguments })
    }

    /// Returns whether the model only fills in arguments.
    pub(super) fn is_small(&self) -> bool {
        self.run.small_model && self.run.model.is_some()
    }

    /// Returns whether the model gave as many invalid answers as are permitted.
    pub(super) fn small_model_failed(&self) -> bool {
        self.run.invalid_answers > MOST_INVALID_ANSWERS
    }

    /// Returns whether the model reads results and continues; otherwise the run ends with the result.
    pub(super) fn model_goes_on(&self) -> bool {
        self.run.model.is_some() && !self.run.small_model
    }

    /// Ends a run without a matching tool.
    pub(super) fn nothing_to_propose(&mut self, text: &str) {
        self.answer(text);
        self.finish(AgentRunStatus::Finished, None);
    }
}
