//! Events of a session, as they are stored and streamed.

use palyra_common::json::in_order;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::{AgentRunStatus, AgentUse, Pause, PauseStatus};

/// Response of `GET /v1/sessions/{session_id}/history`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SessionEventList {
    /// The events, oldest first.
    pub events: Vec<SessionEvent>,
    /// The `after` of the next page.
    pub next: Option<u64>,
}

/// One event of a session; the data of one server-sent event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SessionEvent {
    /// Its number within the session, from 1; absent for `message.delta` and `tool.log`, which are not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Time of the event, in Unix milliseconds.
    pub at_ms: u64,
    /// The agent run it belongs to.
    pub run_id: String,
    /// The change.
    #[serde(flatten)]
    pub body: SessionEventBody,
}

/// Event kind, which is also the name of the server-sent event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "event")]
pub enum SessionEventBody {
    /// A piece of a streamed message; `message.completed` has the whole text.
    #[serde(rename = "message.delta")]
    MessageDelta {
        /// The message.
        message_id: String,
        /// Offset of this piece in the message, in bytes.
        offset: u64,
        /// The piece.
        text: String,
        /// Whether the text is reasoning, which is not part of the message.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        reasoning: bool,
    },
    /// A whole message of a person or of the agent.
    #[serde(rename = "message.completed")]
    MessageCompleted {
        /// The message.
        message_id: String,
        /// Owner.
        role: MessageRole,
        /// The text.
        text: String,
    },
    /// The model or the local router proposes a call.
    #[serde(rename = "tool.proposed")]
    ToolProposed {
        /// The call, unique in its run.
        call_id: String,
        /// The tool id, or the model's text for an unknown tool.
        tool_id: String,
        /// The arguments, clipped to 4 KiB of JSON text.
        arguments: String,
        /// Why the proposal was rejected.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        invalid: Option<String>,
    },
    /// A tool call starts.
    #[serde(rename = "tool.started")]
    ToolStarted {
        /// The call.
        call_id: String,
        /// The tool.
        tool_id: String,
    },
    /// A log line of a tool.
    #[serde(rename = "tool.log")]
    ToolLog {
        /// The call.
        call_id: String,
        /// The line, escaped.
        text: String,
    },
    /// A tool call ended.
    #[serde(rename = "tool.finished")]
    ToolFinished {
        /// The call.
        call_id: String,
        /// The tool.
        tool_id: String,
        /// Status.
        status: ToolCallStatus,
        /// The run of the tool, whose receipt is in the journal.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_run_id: Option<String>,
        /// The output as JSON text, clipped to 16 KiB; absent for a document, which is a surface.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<String>,
        /// The error.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// A document was created or replaced.
    #[serde(rename = "surface.created")]
    SurfaceCreated {
        /// The surface.
        surface: String,
        /// Its revision; 1 for a new surface.
        rev: u64,
        /// The document.
        #[serde(with = "in_order")]
        #[schema(value_type = Object)]
        document: Value,
    },
    /// A shown document changed.
    #[serde(rename = "surface.patched")]
    SurfacePatched {
        /// The surface.
        surface: String,
        /// Its revision after the change.
        rev: u64,
        /// The patch from the revision before.
        #[serde(with = "in_order")]
        #[schema(value_type = Object)]
        patch: Value,
    },
    /// The run waits for a person.
    #[serde(rename = "run.paused")]
    RunPaused {
        /// Reason for waiting.
        pause: Box<Pause>,
    },
    /// A pause was answered or expired.
    #[serde(rename = "run.resumed")]
    RunResumed {
        /// The pause.
        pause_id: String,
        /// Result.
        status: PauseStatus,
        /// Principal that answered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answered_by: Option<String>,
    },
    /// The run ended.
    #[serde(rename = "run.finished")]
    RunFinished {
        /// How.
        status: AgentRunStatus,
        /// Reason, if it did not finish.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// Use of the run so far.
    #[serde(rename = "usage")]
    Usage {
        /// The total.
        used: AgentUse,
    },
}

/// Author of the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    /// A person.
    User,
    /// The model, or the local router.
    Assistant,
}

/// Status of a finished call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolCallStatus {
    /// It gave a result.
    Completed,
    /// It ran and gave none.
    Failed,
    /// It did not run: policy, gates or the state of its skill said no.
    Refused,
    /// A person denied it, or it timed out.
    Denied,
    /// The run was stopped.
    Cancelled,
    /// The daemon ended while it ran; whether it had an effect is not known.
    Interrupted,
    /// An identical call of this run gave this result, and it was not repeated.
    Repeated,
}

impl SessionEventBody {
    /// Returns the name of the event in a stream.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::MessageDelta { .. } => "message.delta",
            Self::MessageCompleted { .. } => "message.completed",
            Self::ToolProposed { .. } => "tool.proposed",
            Self::ToolStarted { .. } => "tool.started",
            Self::ToolLog { .. } => "tool.log",
            Self::ToolFinished { .. } => "tool.finished",
            Self::SurfaceCreated { .. } => "surface.created",
            Self::SurfacePatched { .. } => "surface.patched",
            Self::RunPaused { .. } => "run.paused",
            Self::RunResumed { .. } => "run.resumed",
            Self::RunFinished { .. } => "run.finished",
            Self::Usage { .. } => "usage",
        }
    }
}
