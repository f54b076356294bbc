//! Pauses for a person: asked once, answered once; a timeout is a denial.

use palyra_api::sessions::{AgentRunStatus, Pause, PauseKind, PauseStatus, SessionEventBody, ToolCallStatus};
use palyra_common::redact::escape_untrusted;
use palyra_models::Message;
use palyra_skills::Sha256Digest;
use serde_json::{Map, Value};

use super::Step;
use crate::arguments;
use crate::call::{Call, CallState};
use crate::conversation::{clip, quoted};
use crate::plan::Verdict;

/// Time until a form or a question expires, in milliseconds.
const ANSWER_LIFETIME_MS: u64 = 24 * 60 * 60 * 1_000;
/// Maximum bytes of arguments in a pause.
const SHOWN_ARGUMENTS: usize = 4 << 10;

/// The subject of a pause.
pub(super) struct Asked {
    pub(super) kind: PauseKind,
    pub(super) question: String,
    pub(super) call: Option<Call>,
    pub(super) approval_id: Option<String>,
    pub(super) surface: Option<(String, u64)>,
    /// SHA-256 of the document that is shown, if any.
    pub(super) shown: String,
    pub(super) expires_ms: Option<u64>,
}

impl Step<'_> {
    pub(super) fn pause(&mut self, asked: Asked) {
        let Asked { kind, question, call, approval_id, surface, shown, expires_ms } = asked;
        let number = self.next_id("p");
        let now = self.world.now_ms;
        let (surface, rev) = surface.unzip();
        let (call_id, tool_id, arguments) = match call {
            Some(Call { call_id, tool_id, arguments, .. }) => (Some(call_id), Some(tool_id), Some(arguments)),
            None => (None, None, None),
        };
        let text = [&self.run.run_id, &question, tool_id.as_ref().unwrap_or(&shown), &shown]
            .into_iter()
            .chain(&arguments)
            .chain(&approval_id);
        let bound: Vec<u8> = text.flat_map(|part| part.bytes().chain([0])).collect();
        let id = self.run.run_id.split_once('_').map_or(self.run.run_id.as_str(), |(_, id)| id);
        let pause = Pause {
            pause_id: format!("pau_{id}_{number}"),
            session_id: self.run.session_id.clone(),
            run_id: self.run.run_id.clone(),
            kind,
            status: PauseStatus::Waiting,
            question,
            call_id,
            tool_id,
            arguments: arguments.map(|arguments| escape_untrusted(clip(&arguments, SHOWN_ARGUMENTS).0)),
            approval_id,
            surface,
            rev,
            bound_to: Sha256Digest::of(&bound).to_string(),
            labels: self.run.labels,
            requested_ms: now,
            expires_ms: expires_ms.unwrap_or_else(|| now.saturating_add(ANSWER_LIFETIME_MS)),
            answered_by: None,
            answered_ms: None,
        };
        self.run.status = AgentRunStatus::Paused;
        self.events.push(SessionEventBody::RunPaused { pause: Box::new(pause.clone()) });
        self.pauses.push(pause.clone());
        self.run.pause = Some(pause);
    }

    /// Pauses for the first call that requires a person; returns false if none does.
    pub(super) fn pause_for_call(&mut self) -> bool {
        let waits =
            |call: &&Call| matches!(call.state, CallState::WantsApproval { .. } | CallState::Doubtful);
        let Some(call) = self.run.calls.iter().find(waits).cloned() else { return false };
        let asked = match &call.state {
            CallState::WantsApproval { approval_id, expires_ms } => Asked {
                kind: PauseKind::Approval,
                question: format!("Allow this call of `{}`?{}", call.tool_id, self.warning()),
                approval_id: Some(approval_id.clone()),
                expires_ms: Some(*expires_ms),
                call: Some(call.clone()),
                surface: None,
                shown: String::new(),
            },
            _ => Asked {
                kind: PauseKind::Question,
                question: format!(
                    "The daemon stopped while `{}` was running, and the call may have taken effect. Call \
                    it again?",
                    call.tool_id
                ),
                approval_id: None,
                expires_ms: None,
                call: Some(call.clone()),
                surface: None,
                shown: String::new(),
            },
        };
        self.pause(asked);
        true
    }

    fn warning(&self) -> &'static str {
        match self.run.labels.is_risky() {
            true => " This session has read untrusted content and private data.",
            false if self.run.labels.untrusted => " This session has read untrusted content.",
            false => "",
        }
    }

    pub(super) fn pause_for_form(&mut self) {
        let Some(form) = self.run.open_form.clone() else { return };
        self.pause(Asked {
            kind: PauseKind::Form,
            question: "Fill in the form to continue.".to_owned(),
            call: None,
            approval_id: None,
            surface: Some((form.surface, form.rev)),
            shown: form.shown,
            expires_ms: None,
        });
    }

    /// Closes the open pause and records the answer.
    pub(super) fn close_pause(&mut self, status: PauseStatus, by: Option<String>) {
        let Some(mut pause) = self.run.pause.take() else { return };
        pause.status = status;
        pause.answered_by.clone_from(&by);
        pause.answered_ms = Some(self.world.now_ms);
        let pause_id = pause.pause_id.clone();
        self.pauses.push(pause);
        self.events.push(SessionEventBody::RunResumed { pause_id, status, answered_by: by });
    }

    pub(super) fn expire_pause(&mut self) {
        let Some(pause) = &self.run.pause else { return };
        if self.world.now_ms >= pause.expires_ms {
            let pause_id = pause.pause_id.clone();
            self.decided(&pause_id, Verdict::Expired, None);
        }
    }

    pub(super) fn decided(&mut self, pause_id: &str, verdict: Verdict, by: Option<String>) {
        let Some(pause) = self.run.pause.clone().filter(|pause| pause.pause_id == pause_id) else { return };
        // The deadline is checked again here: an approval that arrives too late is a denial.
        let verdict = if self.world.now_ms >= pause.expires_ms { Verdict::Expired } else { verdict };
        let status = match &verdict {
            Verdict::Yes | Verdict::Values(_) => PauseStatus::Answered,
            Verdict::No => PauseStatus::Denied,
            Verdict::Expired => PauseStatus::Expired,
        };
        self.close_pause(status, by);
        self.run.status = AgentRunStatus::Calling;
        match (pause.kind, verdict) {
            (PauseKind::Form, Verdict::Values(values)) if self.run.open_form.is_some() => {
                self.form_submitted(&values);
            }
            (PauseKind::Form, _) if self.run.open_form.is_some() => {
                self.run.open_form = None;
                self.advance();
            }
            (PauseKind::Form | PauseKind::Question, verdict) if !self.run.candidates.is_empty() => {
                self.proposal_answered(verdict);
            }
            (_, verdict) => self.call_decided(pause.call_id.as_deref().unwrap_or_default(), &verdict),
        }
    }

    fn call_decided(&mut self, call_id: &str, verdict: &Verdict) {
        let Some(call) = self.run.call(call_id).cloned() else { return self.advance() };
        match verdict {
            Verdict::Yes | Verdict::Values(_) => {
                if let Some(call) = self.run.calls.iter_mut().find(|call| call.call_id == call_id) {
                    call.state = CallState::Proposed;
                }
            }
            Verdict::No | Verdict::Expired if call.state == CallState::Doubtful => self.close_doubtful(&call),
            Verdict::No => {
                self.fail_call(&call, ToolCallStatus::Denied, None, "a person denied the call".into())
            }
            Verdict::Expired => {
                let error = "the approval timed out, so the call was denied".to_owned();
                self.fail_call(&call, ToolCallStatus::Denied, None, error);
            }
        }
        self.advance();
    }

    /// Ends a call that is not repeated, although it may have had an effect.
    pub(super) fn close_doubtful(&mut self, call: &Call) {
        let error = "the daemon stopped while it was running; whether it took effect is unknown";
        self.fail_call(call, ToolCallStatus::Interrupted, None, error.to_owned());
    }

    /// Passes the values to the tool that the form names, or else to the model.
    fn form_submitted(&mut self, values: &Map<String, Value>) {
        let Some(form) = self.run.open_form.take() else { return self.advance() };
        self.keep_conversation_whole();
        let Some(named) = form.tool_id else {
            let values = Value::Object(values.clone()).to_string();
            let text = quoted(&format!("form `{}`", form.surface), None, &values);
            self.run.messages.push(Message::user(format!("I filled in the form: {text}")));
            if self.model_goes_on() {
                return self.think();
            }
            let reason = "the form has no tool, and no model is configured to process it";
            return self.finish(AgentRunStatus::Failed, Some(reason.into()));
        };
        let Some(tool) = self.tool(&named) else {
            let reason = format!("the form belongs to the tool `{named}`, which cannot be called");
            return self.finish(AgentRunStatus::Failed, Some(reason));
        };
        match arguments::check(tool, &Value::Object(values.clone()).to_string(), self.world.tools) {
            Ok(arguments) => self.call_tool(tool, arguments),
            Err(error) => self.finish(AgentRunStatus::Failed, Some(error.to_string())),
        }
    }
}
