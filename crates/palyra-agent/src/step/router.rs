//! Without a model: a tool that matches the message, shown as a form to confirm, or a few of them to choose from.

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

/// Tools a person chooses from.
const MOST_CANDIDATES: usize = 5;

const NOTHING: &str =
    "No model is configured, and no tool matches your sentence. See the tools with `palyra tools list`.";

impl Step<'_> {
    pub(super) fn routed(&mut self, routed: Routed) {
        let mut candidates = routed.candidates;
        candidates.retain(|candidate| self.tool(&candidate.tool_id).is_some());
        candidates.truncate(if routed.clear { 1 } else { MOST_CANDIDATES });
        if candidates.is_empty() {
            self.answer(NOTHING);
            return self.finish(AgentRunStatus::Finished, None);
        }
        self.run.candidates = candidates;
        match self.run.candidates.len() {
            1 => self.propose_first(),
            _ => {
                let surface = self.next_surface();
                let document = choice::document(&surface, &self.run.candidates, self.world.tools);
                self.ask_with("Choose a tool.", document);
            }
        }
    }

    fn answer(&mut self, text: &str) {
        self.say(MessageRole::Assistant, text.to_owned());
        self.run.messages.push(palyra_models::Message::Assistant {
            text: text.to_owned(),
            tool_calls: Vec::new(),
            provider_state: None,
        });
    }

    fn propose_first(&mut self) {
        let Some(Candidate { tool_id, arguments }) = self.run.candidates.first().cloned() else { return };
        let Some(tool) = self.tool(&tool_id) else {
            return self.finish(AgentRunStatus::Failed, Some(format!("the tool `{tool_id}` is gone")));
        };
        let call_id = self.next_id("call");
        self.events.push(SessionEventBody::ToolProposed {
            call_id,
            tool_id,
            arguments: palyra_common::JsonText::from(&Value::Object(arguments.clone())).as_str().to_owned(),
            invalid: None,
        });
        let surface = self.next_surface();
        self.ask_with("Run this tool?", proposal_form::document(&surface, tool, &arguments));
    }

    /// Each proposal of a session is a surface of its own, so that an old one is never submitted for a new one.
    fn next_surface(&mut self) -> String {
        let number = self.next_id("r");
        let id = self.run.run_id.split_once('_').map_or(self.run.run_id.as_str(), |(_, id)| id);
        format!("proposal_{id}_{number}")
    }

    /// Shows a document of the router, and waits for its form, or for a yes where it has none.
    fn ask_with(&mut self, question: &str, document: Result<A2uiDocument, A2uiError>) {
        let document = match document {
            Ok(document) => document,
            Err(error) => {
                let reason = format!("the schema of the tool cannot be shown as a form: {error}");
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
                let reason = "nobody answered in time, which is a denial".to_owned();
                return self.finish(AgentRunStatus::Cancelled, Some(reason));
            }
        };
        if self.run.candidates.len() > 1 {
            let chosen = values.get(choice::TOOL).and_then(Value::as_str).unwrap_or_default().to_owned();
            self.run.candidates.retain(|candidate| candidate.tool_id == chosen);
            return match self.run.candidates.is_empty() {
                true => {
                    self.finish(AgentRunStatus::Failed, Some("that tool was not among the choices".into()))
                }
                false => self.propose_first(),
            };
        }
        let Some(candidate) = self.run.candidates.pop() else { return };
        let Some(tool) = self.tool(&candidate.tool_id) else {
            let reason = format!("the tool `{}` cannot be called any more", candidate.tool_id);
            return self.finish(AgentRunStatus::Failed, Some(reason));
        };
        match form_arguments(tool, &values) {
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
