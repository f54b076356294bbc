//! Calls of one batch: which start, their results, and the next step after all have ended.

use palyra_a2ui::{A2uiDocument, ComponentBody};
use palyra_api::sessions::{AgentRunStatus, SessionEventBody, SessionLabels, ToolCallStatus};
use palyra_models::Message;
use palyra_skills::Sha256Digest;

use super::Step;
use crate::call::{Call, CallOutcome, CallState};
use crate::conversation::{MAX_RESULT_BYTES, SEARCH_TOOLS, clip, quoted};
use crate::plan::Effect;
use crate::run::OpenForm;
use crate::surface::{SurfaceState, first_form, patch_between, value};

/// Maximum size of the arguments of a person's call in the conversation, in bytes.
const MAX_CALL_BYTES: usize = 1_000;

impl Step<'_> {
    /// Starts calls until the run has to wait: read-only calls together, others one at a time.
    pub(super) fn advance(&mut self) {
        if self.run.calls.iter().any(Call::is_running) {
            self.run.status = AgentRunStatus::Calling;
            return;
        }
        if self.pause_for_call() {
            return;
        }
        let proposed = || self.run.calls.iter().filter(|call| call.is_proposed());
        let read_only = proposed().all(|call| !call.access.writes);
        let most = if read_only { usize::MAX } else { 1 };
        let begin: Vec<String> = proposed().take(most).map(|call| call.call_id.clone()).collect();
        if begin.is_empty() {
            return self.conclude();
        }
        self.run.status = AgentRunStatus::Calling;
        for call_id in begin {
            self.begin_call(&call_id);
            if self.run.status.is_final() {
                return;
            }
        }
        // If every call was answered from an earlier result, the next ones can start.
        if !self.run.calls.iter().any(Call::is_running) {
            self.advance();
        }
    }

    fn begin_call(&mut self, call_id: &str) {
        let Some(call) = self.run.call(call_id).cloned() else { return };
        let kept = call.model_id.as_ref().and_then(|_| self.run.guard.kept(&call));
        if let Some(kept) = kept.map(str::to_owned) {
            self.end_call(call_id, ToolCallStatus::Repeated, kept.clone());
            return self.tell_end(&call, ToolCallStatus::Repeated, None, Some(&kept), None);
        }
        if self.run.used.tool_calls >= self.run.budget.tool_calls {
            return self.out_of_budget("its limit on tool calls is reached");
        }
        self.run.used.tool_calls += 1;
        let since_ms = self.world.now_ms;
        if let Some(call) = self.run.calls.iter_mut().find(|call| call.call_id == call_id) {
            call.state = CallState::Running { since_ms, tool_run_id: None };
        }
        let call_id = call_id.to_owned();
        self.events.push(SessionEventBody::ToolStarted { call_id: call_id.clone(), tool_id: call.tool_id });
        self.effects.push(Effect::Call { call_id });
    }

    pub(super) fn call_ended(&mut self, call_id: &str, outcome: CallOutcome) {
        let Some(call) = self.run.call(call_id).filter(|call| call.is_running()).cloned() else { return };
        match outcome {
            CallOutcome::NeedsApproval { approval_id, expires_ms } => {
                // The call did not start, so it does not count yet.
                self.run.used.tool_calls = self.run.used.tool_calls.saturating_sub(1);
                if let Some(call) = self.run.calls.iter_mut().find(|call| call.call_id == call_id) {
                    call.state = CallState::WantsApproval { approval_id, expires_ms };
                }
            }
            CallOutcome::Completed { tool_run_id, output, document, replaces, labels } => {
                self.add_labels(labels);
                let text = match &document {
                    // The person sees the document; the model gets a text rendering.
                    Some(document) => palyra_a2ui::render_text(document, 100),
                    None => output.clone(),
                };
                let text = quoted(&call.tool_id, Some(&tool_run_id), &text);
                self.run.guard.keep(&call, &text);
                self.end_call(call_id, ToolCallStatus::Completed, text);
                let shown = document.is_none().then_some(output.as_str());
                self.tell_end(&call, ToolCallStatus::Completed, Some(tool_run_id.clone()), shown, None);
                if let Some(document) = document {
                    self.show(&call, tool_run_id, &document, replaces);
                }
            }
            CallOutcome::Failed { tool_run_id, error, labels } => {
                self.add_labels(labels);
                self.fail_call(&call, ToolCallStatus::Failed, tool_run_id, error);
            }
            CallOutcome::Refused { error } => self.fail_call(&call, ToolCallStatus::Refused, None, error),
        }
        if self.is_over_time() && !self.run.calls.iter().any(Call::is_running) {
            self.out_of_budget("its time limit is reached");
        } else {
            self.advance();
        }
    }

    pub(super) fn fail_call(
        &mut self,
        call: &Call,
        status: ToolCallStatus,
        tool_run_id: Option<String>,
        error: String,
    ) {
        let error = clip(&error, MAX_RESULT_BYTES).0.to_owned();
        self.end_call(&call.call_id, status, quoted(&call.tool_id, tool_run_id.as_deref(), &error));
        self.tell_end(call, status, tool_run_id, None, Some(error));
    }

    pub(super) fn tell_end(
        &mut self,
        call: &Call,
        status: ToolCallStatus,
        tool_run_id: Option<String>,
        output: Option<&str>,
        error: Option<String>,
    ) {
        let output = output.map(|output| clip(output, MAX_RESULT_BYTES).0.to_owned());
        let (call_id, tool_id) = (call.call_id.clone(), call.tool_id.clone());
        self.events.push(SessionEventBody::ToolFinished {
            call_id,
            tool_id,
            status,
            tool_run_id,
            output,
            error,
        });
    }

    fn add_labels(&mut self, labels: SessionLabels) {
        self.run.labels = self.run.labels.union(labels);
    }

    pub(super) fn tools_found(&mut self, call_id: &str, tools: Vec<String>) {
        if !self.run.call(call_id).is_some_and(Call::is_running) {
            return;
        }
        let found: Vec<serde_json::Value> = tools
            .iter()
            .filter_map(|id| self.tool(id))
            .map(|tool| serde_json::json!({ "name": tool.model_name, "description": tool.description }))
            .collect();
        let text = serde_json::Value::from(found).to_string();
        for tool in tools {
            if !self.run.found_tools.contains(&tool) {
                self.run.found_tools.push(tool);
            }
        }
        self.end_call(call_id, ToolCallStatus::Completed, quoted(SEARCH_TOOLS, None, &text));
        self.advance();
    }

    /// Stores a document as a surface; clients get a patch if the surface exists and the patch is possible.
    fn show(
        &mut self,
        call: &Call,
        tool_run_id: String,
        document: &A2uiDocument,
        replaces: Option<Box<SurfaceState>>,
    ) {
        // A call that ended in the same step may have changed it already.
        let changed = self.surfaces.iter().rev().find(|changed| changed.surface == document.surface());
        let before = changed.cloned().or_else(|| replaces.map(|before| *before));
        let before = before.and_then(|before| Some((before.document().ok()?, before.rev)));
        let rev = before.as_ref().map_or(1, |(_, rev)| rev.saturating_add(1));
        let json = document.to_json();
        let surface = document.surface().to_owned();
        let patch = before.and_then(|(old, rev)| patch_between(&old, document, rev));
        self.events.push(match patch {
            Some(patch) => SessionEventBody::SurfacePatched { surface: surface.clone(), rev, patch },
            None => {
                let document = value(json.as_str());
                SessionEventBody::SurfaceCreated { surface: surface.clone(), rev, document }
            }
        });
        if let Some(form) = first_form(document) {
            let tool_id = match document.component(form).map(|component| &component.body) {
                Some(ComponentBody::Form(form)) => form.tool.clone(),
                _ => None,
            };
            let shown = Sha256Digest::of(json.as_str().as_bytes()).to_string();
            self.run.open_form = Some(OpenForm { surface: surface.clone(), rev, tool_id, shown });
        }
        self.surfaces.push(SurfaceState {
            surface,
            session_id: self.run.session_id.clone(),
            rev,
            run_id: self.run.run_id.clone(),
            tool_id: Some(call.tool_id.clone()),
            skill_id: Some(call.skill_id.clone()),
            tool_run_id: Some(tool_run_id),
            document: json.as_str().to_owned(),
            updated_ms: self.world.now_ms,
        });
    }

    /// Continues after every call has ended: with an open form, with the model, or by ending the run.
    fn conclude(&mut self) {
        if self.run.open_form.is_some() {
            return self.pause_for_form();
        }
        let last = self.run.calls.last().map(|call| call.state.clone());
        self.keep_conversation_whole();
        if self.model_goes_on() {
            return self.think();
        }
        match last {
            Some(CallState::Ended { status: ToolCallStatus::Denied, .. }) => {
                self.finish(AgentRunStatus::Cancelled, Some("the call was denied".into()));
            }
            Some(CallState::Ended { status: ToolCallStatus::Failed | ToolCallStatus::Refused, .. }) => {
                self.finish(AgentRunStatus::Failed, Some("the tool returned no result".into()));
            }
            Some(CallState::Ended { status: ToolCallStatus::Interrupted, .. }) => {
                self.finish(
                    AgentRunStatus::Interrupted,
                    Some(
                        "the daemon stopped while the tool was \
                    running"
                            .into(),
                    ),
                );
            }
            _ => self.finish(AgentRunStatus::Finished, None),
        }
    }
}

/// Returns the result of a call for the conversation. A call that a person made becomes a message.
pub(super) fn result_message(call: &Call) -> Option<Message> {
    let CallState::Ended { status, text } = &call.state else { return None };
    Some(match &call.model_id {
        Some(id) => Message::ToolResult {
            call_id: id.clone(),
            text: text.clone(),
            is_error: !matches!(status, ToolCallStatus::Completed | ToolCallStatus::Repeated),
        },
        // A message of the user: providers refuse a conversation that ends with one of the assistant.
        None => {
            let arguments = clip(&call.arguments, MAX_CALL_BYTES).0;
            Message::user(format!("I had `{}` called with {arguments}. Its result: {text}", call.tool_id))
        }
    })
}
