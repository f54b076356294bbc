//! Sessions with the agent: messages, agent runs, what they wait for, and the surfaces they show.

mod events;
mod pauses;
mod surfaces;

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

/// The answer of `GET /v1/sessions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionList {
    /// The sessions, last active first.
    pub sessions: Vec<Session>,
    /// Where the next page begins, as `before`.
    pub next: Option<String>,
}

/// One session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Session {
    /// Its id.
    pub session_id: String,
    /// What people call it; the first message where nobody gave it a name.
    pub title: String,
    /// Whose it is: `owner`, or the name of a token.
    pub owner: String,
    /// The model that answers; the default model of the daemon where it is absent, else the local router.
    pub model: Option<String>,
    /// The only tools it may use; every enabled tool where it is empty.
    pub tools: Vec<String>,
    /// What one run may use at most.
    pub budget: AgentBudget,
    /// What its runs have read so far.
    pub labels: SessionLabels,
    /// Whether lists leave it out.
    pub archived: bool,
    /// When it was created, in milliseconds of Unix time.
    pub created_ms: u64,
    /// When something last happened in it.
    pub last_active_ms: u64,
    /// The run that is under way or waits, if there is one.
    pub active_run: Option<String>,
    /// The number of its newest event.
    pub last_event: u64,
}

/// The information-flow labels of a session, computed from recorded use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionLabels {
    /// Storage, files or secrets were read.
    pub private: bool,
    /// Content from outside was read, such as a web page.
    pub untrusted: bool,
}

/// What one agent run may use at most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AgentBudget {
    /// Requests to the model.
    #[schema(minimum = 1, maximum = 100)]
    pub turns: u32,
    /// Calls of tools.
    #[schema(minimum = 1, maximum = 500)]
    pub tool_calls: u32,
    /// Tokens of all requests and answers.
    #[schema(minimum = 1, maximum = 100000000)]
    pub tokens: u64,
    /// Wall clock in milliseconds, without the time that people take to answer.
    #[schema(minimum = 1, maximum = 86400000)]
    pub wall_clock_ms: u64,
}

/// The body of `POST /v1/sessions`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewSession {
    /// What people call it; the first message without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The model that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The only tools it may use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// What one run may use at most.
    #[serde(default)]
    pub budget: AgentBudget,
}

/// The body of `PUT /v1/sessions/{session_id}`: what it leaves out stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SessionChange {
    /// A new title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Another model; an empty text stands for the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Other tools; an empty list stands for all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Another budget, for runs that begin later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<AgentBudget>,
    /// Whether lists leave it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// Whether to forget what was read so far; only a person decides this.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub clear_labels: bool,
}

/// The body of `POST /v1/sessions/{session_id}/messages`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageRequest {
    /// What a person says, at most 64 KiB.
    pub text: String,
}

/// The answer of `GET /v1/sessions/{session_id}/runs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentRunList {
    /// The runs, newest first.
    pub runs: Vec<AgentRun>,
    /// Where the next page begins, as `before`.
    pub next: Option<String>,
}

/// One answer to one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentRun {
    /// Its id.
    pub run_id: String,
    /// The session.
    pub session_id: String,
    /// How it stands.
    pub status: AgentRunStatus,
    /// The model that answers; the local router where it is absent.
    pub model: Option<String>,
    /// What it may use at most.
    pub budget: AgentBudget,
    /// What it has used.
    pub used: AgentUse,
    /// What it waits for.
    pub pause: Option<Pause>,
    /// Why it ended, where it did not finish.
    pub reason: Option<String>,
    /// When it was created, in milliseconds of Unix time.
    pub created_ms: u64,
    /// When it ended.
    pub finished_ms: Option<u64>,
}

/// How an agent run stands.
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

/// What an agent run has used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentUse {
    /// Requests to the model.
    pub turns: u32,
    /// Calls of tools.
    pub tool_calls: u32,
    /// Tokens of all requests, as the provider counts them.
    pub input_tokens: u64,
    /// Tokens of all answers.
    pub output_tokens: u64,
    /// Wall clock in milliseconds, without the time that people took to answer.
    pub wall_clock_ms: u64,
}

/// Which sessions are wanted; the default is every one that is not archived.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionQuery {
    /// Only those whose title contains this text, in any case.
    pub search: Option<String>,
    /// Archived ones instead of the others.
    pub archived: bool,
    /// Only those less recently active than this one.
    pub before: Option<String>,
    /// How many at most.
    pub limit: Option<u16>,
}

impl Default for AgentBudget {
    fn default() -> Self {
        Self { turns: 16, tool_calls: 32, tokens: 200_000, wall_clock_ms: 600_000 }
    }
}

impl AgentRunStatus {
    /// Whether nothing more happens.
    pub const fn is_final(self) -> bool {
        !matches!(self, Self::Queued | Self::Thinking | Self::Calling | Self::Paused)
    }

    /// The word on every wire.
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

impl SessionLabels {
    /// The labels of either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self { private: self.private || other.private, untrusted: self.untrusted || other.untrusted }
    }

    /// Whether content from outside could carry something private away.
    pub const fn is_risky(self) -> bool {
        self.private && self.untrusted
    }
}
