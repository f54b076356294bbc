//! Sessions with the agent: messages, agent runs, what they wait for, and the surfaces they show.

mod events;
mod pauses;
mod surfaces;

pub use palyra_common::InformationLabels as SessionLabels;

pub use events::{MessageRole, SessionEvent, SessionEventBody, SessionEventList, ToolCallStatus};
pub use pauses::{Pause, PauseAnswer, PauseDecision, PauseKind, PauseList, PauseStatus};
pub use surfaces::{FormSubmit, Surface, SurfaceList};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Longest message to the agent in bytes.
pub const MAX_MESSAGE_BYTES: usize = 64 << 10;
/// Longest title of a session in characters.
pub const MAX_TITLE_CHARS: usize = 200;
/// Most tools a session can be limited to.
pub const MAX_SESSION_TOOLS: usize = 256;

/// Response of `GET /v1/sessions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionList {
    /// Sessions, most recently active first.
    pub sessions: Vec<Session>,
    /// The `before` of the next page.
    pub next: Option<String>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Session {
    /// Its id.
    pub session_id: String,
    /// Title [default: the first message].
    pub title: String,
    /// Owner: `owner`, or the name of a token.
    pub owner: String,
    /// The model [default: the default model of the daemon, or the local router].
    pub model: Option<String>,
    /// The tools it can use; an empty list allows all enabled tools.
    pub tools: Vec<String>,
    /// Limits of one run.
    pub budget: AgentBudget,
    /// Labels from what its runs have read.
    pub labels: SessionLabels,
    /// Whether lists omit it.
    pub archived: bool,
    /// Time at which it was created, in Unix milliseconds.
    pub created_ms: u64,
    /// Time of its last activity.
    pub last_active_ms: u64,
    /// The run in progress or waiting, if any.
    pub active_run: Option<String>,
    /// The number of its newest event.
    pub last_event: u64,
}

/// Limits of an agent run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentBudget {
    /// Number of model requests.
    #[schema(minimum = 1, maximum = 100)]
    pub turns: u32,
    /// Calls of tools.
    #[schema(minimum = 1, maximum = 500)]
    pub tool_calls: u32,
    /// Input and output tokens.
    #[schema(minimum = 1, maximum = 100000000)]
    pub tokens: u64,
    /// Time limit in milliseconds, not counting time for answers of people.
    #[schema(minimum = 1, maximum = 86400000)]
    pub wall_clock_ms: u64,
}

/// Request body of `POST /v1/sessions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSession {
    /// Title [default: the first message].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The tools it can use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// Limits of one run.
    #[serde(default)]
    pub budget: AgentBudget,
}

/// Request body of `PUT /v1/sessions/{session_id}`: what it leaves out stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionChange {
    /// A new title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// New model; an empty string selects the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// New list of tools; an empty list allows all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// New limits for later runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<AgentBudget>,
    /// Whether lists omit it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// Whether to clear the labels of the session; only for a person.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clear_labels: bool,
}

/// Request body of `POST /v1/sessions/{session_id}/messages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageRequest {
    /// The message, at most 64 KiB.
    pub text: String,
}

/// Response of `GET /v1/sessions/{session_id}/runs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentRunList {
    /// The runs, newest first.
    pub runs: Vec<AgentRun>,
    /// The `before` of the next page.
    pub next: Option<String>,
}

/// The processing of one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentRun {
    /// Its id.
    pub run_id: String,
    /// The session.
    pub session_id: String,
    /// Status.
    pub status: AgentRunStatus,
    /// The model; `null` for the local router.
    pub model: Option<String>,
    /// Limits.
    pub budget: AgentBudget,
    /// Use so far.
    pub used: AgentUse,
    /// Reason for waiting.
    pub pause: Option<Pause>,
    /// Reason of the end, if it did not finish.
    pub reason: Option<String>,
    /// Time at which it was created, in Unix milliseconds.
    pub created_ms: u64,
    /// End time.
    pub finished_ms: Option<u64>,
}

/// Status of an agent run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentRunStatus {
    /// It has not begun.
    Queued,
    /// The model or the local router works.
    Thinking,
    /// Tools run.
    Calling,
    /// It waits for a person.
    Paused,
    /// It answered.
    Finished,
    /// It ended with an error.
    Failed,
    /// A person stopped it, or said no.
    Cancelled,
    /// Its budget is used up.
    OutOfBudget,
    /// The daemon ended before it did, and it could not be resumed.
    Interrupted,
}

/// Use of an agent run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentUse {
    /// Number of model requests.
    pub turns: u32,
    /// Calls of tools.
    pub tool_calls: u32,
    /// Input tokens, as counted by the provider.
    pub input_tokens: u64,
    /// Output tokens.
    pub output_tokens: u64,
    /// Elapsed time in milliseconds, not counting time for answers of people.
    pub wall_clock_ms: u64,
}

/// Which sessions are wanted; the default is every one that is not archived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionQuery {
    /// Only sessions whose title contains this text, ignoring case.
    pub search: Option<String>,
    /// Lists archived sessions instead of the others.
    pub archived: bool,
    /// Only those less recently active than this one.
    pub before: Option<String>,
    /// Maximum number of results.
    pub limit: Option<u16>,
}

impl Default for AgentBudget {
    fn default() -> Self {
        Self { turns: 16, tool_calls: 32, tokens: 200_000, wall_clock_ms: 600_000 }
    }
}

impl AgentRunStatus {
    /// Returns whether the run has ended.
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Thinking | Self::Calling | Self::Paused)
    }

    /// Returns the value in requests and responses.
    pub const fn wire_name(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Thinking => "thinking",
            Self::Calling => "calling",
            Self::Paused => "paused",
            Self::Finished => "finished",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::OutOfBudget => "out_of_budget",
            Self::Interrupted => "interrupted",
        }
    }
}
