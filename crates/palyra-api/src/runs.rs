//! Runs: the call, its outcome, its output, and its receipt.

mod failure;
mod receipt;
mod replay;
mod steps;

pub use failure::{Refusal, RefusedBy, RunFailure};
pub use receipt::{JournalReceipt, RunReceipt};
pub use replay::{Divergence, ReplayAnswer, ReplayVerdict};
pub use steps::{RunDenial, RunMeter, RunStep, RunSteps, StepDenial};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Response of `GET /v1/runs`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunList {
    /// The runs, newest first.
    pub runs: Vec<Run>,
    /// The `before` of the next page.
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
    /// Time at which it began, in Unix milliseconds.
    pub started_ms: u64,
    /// End time.
    pub finished_ms: Option<u64>,
    /// Sequence number of its receipt in the journal.
    pub receipt_leaf: Option<u64>,
    /// Principal.
    pub principal: Option<String>,
    /// The session it belongs to.
    pub session: Option<String>,
    /// The error code, if it failed.
    pub error: Option<String>,
    /// The digest of its tape, if it is still stored.
    pub tape: Option<String>,
    /// The fields that differ from the receipt in the journal, because another program changed the row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<String>,
}

/// Response of `GET /v1/runs/{run_id}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RunInfo {
    /// The run as lists show it.
    #[serde(flatten)]
    pub run: Run,
    /// Digests, cost and capability use from its receipt; `null` while it runs.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub details: Value,
    /// Why it failed; none for a run of an earlier version, or once its tape and lines are trimmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<RunFailure>,
}

/// Response of `GET /v1/runs/{run_id}/lines`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunLineList {
    /// The stored lines, oldest first.
    pub lines: Vec<RunLine>,
    /// The last one if there may be more, for `after`.
    pub next: Option<u64>,
}

/// One log line or published message of a run, also the data of `GET /v1/runs/{run_id}/events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunLine {
    /// Its number within the run, also its event id.
    pub number: u64,
    /// `log` or `channel`.
    pub kind: String,
    /// The text, escaped.
    pub text: String,
}

/// The end of a run, as the last data of `GET /v1/runs/{run_id}/events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunEnd {
    /// Status.
    pub status: String,
}

/// Which runs are wanted; the default is the newest of all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RunFilter {
    /// Filter by skill.
    pub skill_id: Option<String>,
    /// Filter by tool.
    pub tool_id: Option<String>,
    /// Only those of this status.
    pub status: Option<String>,
    /// Only runs started at this time or later, in Unix milliseconds.
    pub since_ms: Option<u64>,
    /// Only runs started before this time.
    pub until_ms: Option<u64>,
    /// Only those before this id, which are older.
    pub before: Option<String>,
    /// Maximum number of results.
    pub limit: Option<u16>,
}
