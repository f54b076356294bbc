//! Routines and objectives.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Policy for overlapping runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Concurrency {
    /// The new one does not fire.
    #[default]
    Forbid,
    /// Both run.
    Allow,
    /// The old one is ended, then the new one runs.
    Replace,
    /// The new one waits for the old one.
    Queue,
}

/// One fire of a routine, unique by routine and due time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Fire {
    /// The routine.
    pub routine: String,
    /// Time at which it was due, in Unix milliseconds.
    pub due_ms: u64,
    /// `schedule` or `manual`.
    pub cause: String,
    /// `running`, `completed`, `failed`, `skipped` or `interrupted`.
    pub status: String,
    /// Why it did not fire: `missed`, `overlap`, `budget`, `paused`, `done` or `no_objective`.
    pub reason: Option<String>,
    /// Start time.
    pub fired_ms: u64,
    /// Delay after its due time.
    pub late_ms: u64,
    /// End time.
    pub finished_ms: Option<u64>,
    /// The tool it called.
    pub tool_id: Option<String>,
    /// The run.
    pub run_id: Option<String>,
    /// The code of its error.
    pub error: Option<String>,
    /// Result as text.
    pub message: Option<String>,
    /// Resource use of its run.
    pub fuel: Option<u64>,
    /// The objective whose budget it used.
    pub objective: Option<String>,
}

/// Status of an objective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObjectiveState {
    /// Its routines fire.
    Active,
    /// An operator stopped them for a while.
    Paused,
    /// Its budget is used up.
    Exhausted,
    /// An operator said that the goal is reached.
    Done,
}

impl Concurrency {
    /// The word on every face.
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Forbid => "forbid",
            Self::Allow => "allow",
            Self::Replace => "replace",
            Self::Queue => "queue",
        }
    }
}

impl ObjectiveState {
    /// The word on every face.
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Exhausted => "exhausted",
            Self::Done => "done",
        }
    }
}

/// Response of `GET /v1/routines/{routine}/fires`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FireList {
    /// The fires, newest first.
    pub fires: Vec<Fire>,
    /// Start of the next page.
    pub next: Option<u64>,
}
