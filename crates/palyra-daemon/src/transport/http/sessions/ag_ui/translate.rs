//! Translates the events of a session to events of AG-UI 1.0 (`docs/ag-ui.md` has the table).
//!
//! AG-UI requires an order of events that a session does not have: every event belongs to a run, a pause ends a run and
//! its answer begins the next one, and everything opened is closed. The translation of a stream therefore has state.

use std::collections::BTreeSet;

use jiff::Timestamp;
use palyra_api::sessions::{
    AgentRunStatus, AgentUse, MessageRole, Pause, SessionEvent, SessionEventBody, ToolCallStatus,
};
use serde_json::{Value, json};

use super::events::{AgUiEvent, Body, Interrupt, Outcome, PROTOCOL_VERSION, TokenUsage};

/// Activity type of surfaces.
const SURFACE: &str = "palyra.a2ui";

/// Events that a stream has started and not ended yet.
#[derive(Debug, Default)]
pub(super) struct Translation {
    run: Option<Run>,
    text: Option<Text>,
    reasoning: Option<String>,
    used: Option<AgentUse>,
    /// Id of the newest agent run that ended or paused.
    ended: Option<String>,
    /// Ids of the complete messages of the run.
    complete: BTreeSet<String>,
}

#[derive(Debug)]
struct Run {
    /// Id of the agent run.
    agent_run: String,
    /// Id of the AG-UI run: each part of an agent run between two pauses is one.
    run_id: String,
}

/// A message whose text is being streamed.
#[derive(Debug)]
struct Text {
    message_id: String,
    /// Number of bytes already sent.
    sent: usize,
}

impl Translation {
    /// Translates one event of a session.
    pub(super) fn translate(&mut self, session_id: &str, event: SessionEvent) -> Vec<AgUiEvent> {
        if event.number.is_none() && self.is_late(&event.run_id) {
            return Vec::new();
        }
        let mut out = Vec::new();
        self.take(session_id, event.run_id, event.body, &mut out);
        out.into_iter().map(|body| AgUiEvent { timestamp: event.at_ms, body }).collect()
    }

    /// Returns whether an event that is not stored belongs to a run that has ended here: stored events can be read
    /// before unstored ones that were sent earlier.
    fn is_late(&self, agent_run: &str) -> bool {
        match &self.run {
            Some(run) => run.agent_run != agent_run,
            // Ids of runs sort by time.
            None => self.ended.as_deref().is_some_and(|ended| agent_run <= ended),
        }
    }

    fn take(&mut self, thread: &str, run: String, body: SessionEventBody, out: &mut Vec<Body>) {
        use SessionEventBody as Event;
        // The end of the run reports the tokens.
        if let Event::Usage { used } = body {
            self.used = Some(used);
            return;
        }
        let resumed = match &body {
            Event::RunResumed { pause_id, .. } => Some(pause_id.clone()),
            _ => None,
        };
        self.begin(thread, &run, resumed, out);
        if !matches!(body, Event::MessageDelta { reasoning: true, .. }) {
            self.end_reasoning(out);
        }
        let id = |id: &str| format!("{run}/{id}");
        match body {
            Event::MessageDelta { message_id, offset, text, reasoning } => {
                if reasoning {
                    self.reason(format!("{run}/{message_id}/reasoning"), text, out)
                } else {
                    self.write(id(&message_id), offset, text, out)
                }
            }
            Event::MessageCompleted { message_id, role, text } => {
                self.complete(id(&message_id), role, &text, out);
            }
            Event::ToolProposed { call_id, tool_id, arguments, invalid } => {
                let tool_call_id = id(&call_id);
                out.push(Body::ToolCallStart { tool_call_id: tool_call_id.clone(), tool_call_name: tool_id });
                out.push(Body::ToolCallArgs { tool_call_id: tool_call_id.clone(), delta: arguments });
                out.push(Body::ToolCallEnd { tool_call_id: tool_call_id.clone() });
                out.extend(invalid.map(|why| result(tool_call_id, why, json!({ "status": "invalid" }))));
            }
            Event::ToolStarted { call_id, tool_id } => out.push(Body::Custom {
                name: "palyra.tool.started",
                value: json!({ "toolCallId": id(&call_id), "toolId": tool_id }),
            }),
            Event::ToolLog { call_id, text } => out.push(Body::Custom {
                name: "palyra.tool.log",
                value: json!({ "toolCallId": id(&call_id), "text": text }),
            }),
            Event::ToolFinished { call_id, tool_id, status, tool_run_id, output, error } => {
                let content = output.or(error).unwrap_or_default();
                let facts = finished(status, &tool_id, tool_run_id);
                out.push(result(id(&call_id), content, facts));
            }
            Event::SurfaceCreated { surface, rev, document } => out.push(Body::ActivitySnapshot {
                message_id: format!("surface/{surface}"),
                activity_type: SURFACE,
                content: json!({ "surface": surface, "rev": rev, "document": document }),
                replace: true,
            }),
            Event::SurfacePatched { surface, rev, patch } => out.push(Body::Custom {
                name: "palyra.surface.patched",
                value: json!({ "surface": surface, "rev": rev, "patch": patch }),
            }),
            Event::RunPaused { pause } => {
                let interrupts = vec![interrupt(&run, *pause)];
                self.end(thread, Outcome::Interrupt { interrupts }, out);
            }
            Event::RunResumed { pause_id, status, answered_by } => out.push(Body::Custom {
                name: "palyra.run.resumed",
                value: json!({ "interruptId": pause_id, "status": status, "answeredBy": answered_by }),
            }),
            Event::RunFinished { status, reason } => match status {
                AgentRunStatus::Finished => self.end(thread, Outcome::Success, out),
                AgentRunStatus::Cancelled => self.end(thread, Outcome::Cancelled, out),
                status => self.fail(status, reason, out),
            },
            Event::Usage { .. } => {}
        }
    }

    /// Begins a run if none is in progress, also for a stream that starts in the middle of one.
    fn begin(&mut self, thread: &str, agent_run: &str, resumed: Option<String>, out: &mut Vec<Body>) {
        if self.run.as_ref().is_some_and(|run| run.agent_run == agent_run) {
            return;
        }
        self.end(thread, Outcome::Success, out);
        if self.ended.as_deref() != Some(agent_run) {
            self.complete.clear();
        }
        let parent_run_id = resumed.is_some().then(|| agent_run.to_owned());
        let run_id = resumed.map_or_else(|| agent_run.to_owned(), |pause| format!("{agent_run}/{pause}"));
        self.run = Some(Run { agent_run: agent_run.to_owned(), run_id: run_id.clone() });
        let protocol_version = PROTOCOL_VERSION;
        out.push(Body::RunStarted { thread_id: thread.to_owned(), run_id, protocol_version, parent_run_id });
    }

    fn end(&mut self, thread: &str, outcome: Outcome, out: &mut Vec<Body>) {
        self.end_open(out);
        let Some(Run { run_id, agent_run }) = self.run.take() else { return };
        self.ended = Some(agent_run);
        let usage = self.usage();
        out.push(Body::RunFinished { thread_id: thread.to_owned(), run_id, outcome, usage });
    }

    fn fail(&mut self, status: AgentRunStatus, reason: Option<String>, out: &mut Vec<Body>) {
        self.end_open(out);
        self.ended = self.run.take().map(|run| run.agent_run);
        let message = reason.unwrap_or_else(|| "the run ended without an answer".to_owned());
        out.push(Body::RunError { message, code: status.wire_name(), usage: self.usage() });
    }

    fn usage(&mut self) -> Vec<TokenUsage> {
        let used = self.used.take().filter(|used| used.input_tokens.saturating_add(used.output_tokens) > 0);
        let usage = used.map(|AgentUse { input_tokens, output_tokens, .. }| TokenUsage {
            input_tokens,
            output_tokens,
            total_tokens: input_tokens.saturating_add(output_tokens),
        });
        usage.into_iter().collect()
    }

    /// Sends the next part of a message; a part that does not follow is left to the complete message.
    fn write(&mut self, message_id: String, offset: u64, delta: String, out: &mut Vec<Body>) {
        if self.text.as_ref().is_none_or(|text| text.message_id != message_id) {
            if offset != 0 || self.complete.contains(&message_id) {
                return;
            }
            self.end_text(out);
            self.text = Some(Text { message_id: message_id.clone(), sent: 0 });
            let role = MessageRole::Assistant;
            out.push(Body::TextMessageStart { message_id: message_id.clone(), role });
        }
        let Some(text) = &mut self.text else { return };
        if usize::try_from(offset).is_ok_and(|offset| offset == text.sent) {
            text.sent += delta.len();
            out.push(Body::TextMessageContent { message_id, delta });
        }
    }

    fn complete(&mut self, message_id: String, role: MessageRole, whole: &str, out: &mut Vec<Body>) {
        if self.text.as_ref().is_none_or(|text| text.message_id != message_id) {
            self.end_text(out);
            self.text = Some(Text { message_id: message_id.clone(), sent: 0 });
            out.push(Body::TextMessageStart { message_id: message_id.clone(), role });
        }
        let sent = self.text.as_ref().map_or(0, |text| text.sent);
        let rest = whole.get(sent..).unwrap_or_default();
        if !rest.is_empty() {
            out.push(Body::TextMessageContent { message_id: message_id.clone(), delta: rest.to_owned() });
        }
        self.complete.insert(message_id);
        self.end_text(out);
    }

    fn reason(&mut self, message_id: String, delta: String, out: &mut Vec<Body>) {
        if self.reasoning.as_ref() != Some(&message_id) {
            self.end_reasoning(out);
            self.reasoning = Some(message_id.clone());
            out.push(Body::ReasoningStart { message_id: message_id.clone() });
            out.push(Body::ReasoningMessageStart { message_id: message_id.clone(), role: "reasoning" });
        }
        out.push(Body::ReasoningMessageContent { message_id, delta });
    }

    fn end_open(&mut self, out: &mut Vec<Body>) {
        self.end_reasoning(out);
        self.end_text(out);
    }

    fn end_text(&mut self, out: &mut Vec<Body>) {
        out.extend(self.text.take().map(|text| Body::TextMessageEnd { message_id: text.message_id }));
    }

    fn end_reasoning(&mut self, out: &mut Vec<Body>) {
        if let Some(message_id) = self.reasoning.take() {
            out.push(Body::ReasoningMessageEnd { message_id: message_id.clone() });
            out.push(Body::ReasoningEnd { message_id });
        }
    }
}

fn result(tool_call_id: String, content: String, facts: Value) -> Body {
    Body::ToolCallResult {
        message_id: format!("{tool_call_id}/result"),
        tool_call_id,
        role: "tool",
        content,
        metadata: json!({ "palyra": facts }),
    }
}

fn finished(status: ToolCallStatus, tool_id: &str, tool_run_id: Option<String>) -> Value {
    json!({ "status": status, "toolId": tool_id, "toolRunId": tool_run_id })
}

/// Converts a pause; everything needed to answer it is in the metadata.
fn interrupt(run: &str, pause: Pause) -> Interrupt {
    let expires = i64::try_from(pause.expires_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let facts = json!({
        "boundTo": pause.bound_to,
        "toolId": pause.tool_id,
        "arguments": pause.arguments,
        "approvalId": pause.approval_id,
        "surface": pause.surface,
        "rev": pause.rev,
        "labels": pause.labels,
    });
    Interrupt {
        id: pause.pause_id,
        reason: json!(pause.kind),
        message: pause.question,
        tool_call_id: pause.call_id.map(|call_id| format!("{run}/{call_id}")),
        expires_at: expires.map(|expires| expires.to_string()),
        metadata: json!({ "palyra": facts }),
    }
}

#[cfg(test)]
mod tests;
