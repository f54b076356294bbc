//! Runs: what was called, how it ended, what it said, and the proof of it.

mod receipt;
mod replay;
mod steps;

pub use receipt::{JournalReceipt, RunReceipt};
pub use replay::{Divergence, ReplayAnswer, ReplayVerdict};
pub use steps::{RunDenial, RunMeter, RunStep, RunSteps, StepDenial};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The answer of `GET /v1/runs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunList {
    /// The runs, newest first.
    pub runs: Vec<Run>,
    /// Where the next page begins, as `before`.
    pub next: Option<String>,
}

/// One run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Run {
    /// Its id.
    pub run_id: String,
    /// The skill.
    pub skill_id: String,
    /// The tool.
    pub tool_id: String,
    /// The release.
    pub payload: String,
    /// `started`, `completed`, `failed`, `cancelled` or `interrupted`.
    pub status: String,
    /// When it began, in milliseconds of Unix time.
    pub started_ms: u64,
    /// When it ended.
    pub finished_ms: Option<u64>,
    /// Where its receipt stands in the journal.
    pub receipt_leaf: Option<u64>,
    /// On whose behalf.
    pub principal: Option<String>,
    /// The session it belongs to.
    pub session: Option<String>,
    /// The kind of its error, where it has no result.
    pub error: Option<String>,
    /// The digest of its tape, as long as that is kept.
    pub tape: Option<String>,
    /// The fields that are not as the receipt in the journal says: another program changed the row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<String>,
}

/// The answer of `GET /v1/runs/{run_id}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunInfo {
    /// The run as lists show it.
    #[serde(flatten)]
    pub run: Run,
    /// Digests, costs and doors, as its receipt has them; nothing while it runs.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub details: Value,
}

/// The answer of `GET /v1/runs/{run_id}/lines`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunLineList {
    /// The lines that are kept, oldest first.
    pub lines: Vec<RunLine>,
    /// The last of them where there may be more, as `after`.
    pub next: Option<u64>,
}

/// One line of a run: its log, or a message it published; also the data of `GET /v1/runs/{run_id}/events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunLine {
    /// Its number in the run, in the order it was said; also the id of its event.
    pub number: u64,
    /// `log` or `channel`.
    pub kind: String,
    /// The text, escaped.
    pub text: String,
}

/// The end of a run, as the last data of `GET /v1/runs/{run_id}/events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunEnd {
    /// How it ended.
    pub status: String,
}

/// Which runs are wanted; the default is the newest of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Only those of this skill.
    pub skill_id: Option<String>,
    /// Only those of this tool.
    pub tool_id: Option<String>,
    /// Only those of this status.
    pub status: Option<String>,
    /// Only those that began at this time or later, in milliseconds of Unix time.
    pub since_ms: Option<u64>,
    /// Only those that began before this time.
    pub until_ms: Option<u64>,
    /// Only those before this id, which are older.
    pub before: Option<String>,
    /// How many at most.
    pub limit: Option<u16>,
}
