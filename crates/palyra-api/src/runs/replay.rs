//! A stored run again, from its tape.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::tools::Usage;

/// Response of `POST /v1/runs/{run_id}/replay`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReplayAnswer {
    /// The run that was replayed.
    pub run_id: String,
    /// Result of the comparison with its tape.
    pub verdict: ReplayVerdict,
    /// Whether the run opened files that its tape does not contain; only for tapes of version 1.
    pub open: bool,
    /// The output, where there is one.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub output: Value,
    /// The error code, if it failed.
    pub error: Option<String>,
    /// Resource use of the replay.
    pub usage: Usage,
}

/// Result of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum ReplayVerdict {
    /// Identical steps, result and output.
    Identical,
    /// The recorded run was timed out or cancelled; the replay is identical up to that point.
    SamePrefix,
    /// The replay diverged.
    Diverged(Divergence),
}

/// Location and reason of a divergence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Divergence {
    /// The step, counted from 1; 0 is before the first step.
    pub step: u64,
    /// The difference.
    pub what: String,
    /// The value on the tape.
    pub expected: String,
    /// The finding.
    pub found: String,
}
