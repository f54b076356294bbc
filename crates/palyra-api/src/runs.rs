//! Runs: the call, its outcome, its output, and its receipt.

mod receipt;
mod replay;
mod steps;

pub use palyra_common::model::runs::{Refusal, RefusedBy, Run, RunFailure, RunLine, RunList};
pub use receipt::{JournalReceipt, RunReceipt};
pub use replay::{Divergence, ReplayAnswer, ReplayVerdict};
pub use steps::{RunDenial, RunMeter, RunStep, RunSteps, StepDenial};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

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
