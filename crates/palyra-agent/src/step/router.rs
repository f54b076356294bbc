//! Runs without a model: a tool that matches the message as a form to confirm, or several to choose from.

use palyra_a2ui::{A2uiDocument, A2uiError};
use palyra_api::sessions::{AgentRunStatus, MessageRole, PauseKind, SessionEventBody};
use palyra_skills::Sha256Digest;
use serde_json::{Map, Value};

use super::Step;
use super::pauses::Asked;
use crate::arguments::form_arguments;
use crate::call::{Call, CallState};
use crate::plan::{Candidate, Routed, Verdict};
use crate::surface::{SurfaceState, first_form, value};
use crate::tool::ToolCard;
use crate::{choice, proposal_form};

/// Maximum number of tools to choose from.
const MOST_CANDIDATES: usize = 5;

const NOTHING: &str =
    "No model is configured, and no tool matches your message. See the tools with `palyra tools list`.";
const NOTHING_FOR_SMALL_MODEL: &str = "No tool matches your message, and the model is set up to fill in arguments of tools only. See the tools with \
     `palyra tools list`.";

impl Step<'_> {
    pub(super) fn routed(&mut self, routed: Routed) {
        let mut candidates = routed.candidates;
        candidates.retain(|candidate| self.tool(&candidate.tool_id).is_some());
        match (candidates.is_empty(), self.is_small()) {
            (true, true) => return self.nothing_to_propose(NOTHING_FOR_SMALL_MODEL),
            (true, false) => return self.nothing_to_propose(NOTHING),
            (false, true) => return self.ranked_for_small_model(candidates),
            (false, false) => {}
        }
        candidates.truncate(if routed.clear { 1 } else { MOST_CANDIDATES });
        self.run.candidates = candidates;
        self.offer_candidates();
    }

    /// Shows a single candidate as a form to confirm, or several to choose from.
    pub(super) fn offer_candidates(&mut self) {
        match self.run.candidates.len() {
            1 => self.propose_first(),
            _ => {
                let surface = self.next_surface();
                let document =
                    choice::document(&surface, &self.run.candidates, self.world.tools, self.about_choice());
                self.ask_with("Choose a tool.", document);
            }
        }
    }

    pub(super) fn answer(&mut self, text: &str) {
        self.say(MessageRole::Assistant, text.to_owned());
        self.run.messages.push(palyra_models::Message::Assistant {
            text: text.to_owned(),
            tool_calls: Vec::new(),
            provider_state: None,
        });
    }

    pub(super) fn propose_first(&mut self) {
        let Some(Candidate { tool_id, arguments }) = self.run.candidates.first().cloned() else { return };
        let Some(tool) = self.tool(&tool_id) else {
            return self.finish(AgentRunStatus::Failed, Some(format!("the tool `{tool_id}` was removed")));
        };
        let call_id = self.next_id("call");
        self.events.push(SessionEventBody::ToolProposed {
            call_id,
            tool_id,
            arguments: palyra_common::JsonText::from(&Value::Object(arguments.clone())).as_str().to_owned(),
            invalid: None,
        });
        let surface = self.next_surface();
        self.ask_with(
            "Run this tool?",
            proposal_form::document(&surface, tool, &arguments, self.about_proposal()),
        );
    }

    /// Returns the explanation in a proposed form.
    fn about_proposal(&self) -> &'static str {
        match (self.is_small(), self.small_model_failed()) {
            (false, _) => {
                "No model is configured. I matched your message to a tool; check its arguments and confirm."
            }
            (true, false) => {
                "A small model filled in the arguments of a tool that matches your message; check them and confirm."
            }
            (true, true) => {
                "The model gave no usable call. I matched your message to a tool; check its arguments and confirm."
            }
        }
    }

    /// Returns the explanation in a list of tools.
    fn about_choice(&self) -> &'static str {
        if self.is_small() {
            "The model gave no usable call. Several tools match your message; choose one."
        } else {
            "No model is configured. Several tools match your message; choose one."
        }
    }

    /// Returns a unique surface name per proposal, so that an old form is never submitted for a new proposal.
    fn next_surface(&mut self) -> String {
        let number = self.next_id("r");
        let id = self.run.run_id.split_once('_').map_or(self.run.run_id.as_str(), |(_, id)| id);
        format!("proposal_{id}_{number}")
    }

    /// Shows a document of the router and waits for its form, or for a confirmation if it has none.
    fn ask_with(&mut self, question: &str, document: Result<A2uiDocument, A2uiError>) {
        let document = match document {
            Ok(document) => document,
            Err(error) => {
                let reason = format!("cannot show the schema of the tool as a form: {error}");
                return self.finish(AgentRunStatus::Failed, Some(reason));
            }
        };
        let json = document.to_json();
        let surface = document.surface().to_owned();
        let has_form = first_form(&document).is_some();
        self.events.push(SessionEventBody::SurfaceCreated {
            surface: surface.clone(),
            rev: 1,
            document: value(json.as_str()),
        });
        let shown = Sha256Digest::of(json.as_str().as_bytes()).to_string();
        self.surfaces.push(SurfaceState {
            surface: surface.clone(),
            session_id: self.run.session_id.clone(),
            rev: 1,
            run_id: self.run.run_id.clone(),
            tool_id: None,
            skill_id: None,
            tool_run_id: None,
            document: json.as_str().to_owned(),
            updated_ms: self.world.now_ms,
        });
        self.pause(Asked {
            kind: if has_form { PauseKind::Form } else { PauseKind::Question },
            question: question.to_owned(),
            call: None,
            approval_id: None,
            surface: Some((surface, 1)),
            shown,
            expires_ms: None,
        });
    }

    pub(super) fn proposal_answered(&mut self, verdict: Verdict) {
        let values = match verdict {
            Verdict::Yes => Map::new(),
            Verdict::Values(values) => values,
            Verdict::No => {
                return self.finish(AgentRunStatus::Cancelled, Some("the proposal was denied".into()));
            }
            Verdict::Expired => {
                let reason = "the question timed out, so the call was denied".to_owned();
                return self.finish(AgentRunStatus::Cancelled, Some(reason));
            }
        };
        if self.run.candidates.len() > 1 {
            let chosen = values.get(choice::TOOL).and_then(Value::as_str).unwrap_or_default().to_owned();
            self.run.candidates.retain(|candidate| candidate.tool_id == chosen);
            return if self.run.candidates.is_empty() {
                self.finish(AgentRunStatus::Failed, Some("that tool was not among the choices".into()))
            } else {
                self.propose_first()
            };
        }
        let Some(candidate) = self.run.candidates.pop() else { return };
        let Some(tool) = self.tool(&candidate.tool_id) else {
            let reason = format!("the tool `{}` can no longer be called", candidate.tool_id);
            return self.finish(AgentRunStatus::Failed, Some(reason));
        };
        match form_arguments(tool, &values, self.world.tools) {
            Ok(arguments) => self.call_tool(tool, arguments),
            Err(error) => self.finish(AgentRunStatus::Failed, Some(error.to_string())),
        }
    }

    /// Calls a tool that a person chose through a form.
    pub(super) fn call_tool(&mut self, tool: &ToolCard, arguments: String) {
        let call_id = self.next_id("call");
        self.add_call(Call {
            call_id,
            model_id: None,
            tool_id: tool.tool_id.clone(),
            skill_id: tool.skill_id.clone(),
            arguments,
            access: tool.access,
            state: CallState::Proposed,
        });
        if !self.run.status.is_final() {
            self.advance();
        }
    }
}
