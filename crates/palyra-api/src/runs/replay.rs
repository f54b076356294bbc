//! A stored run again, from its tape.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::tools::Usage;

/// The answer of `POST /v1/runs/{run_id}/replay`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReplayAnswer {
    /// The run that was replayed.
    pub run_id: String,
    /// How it compared with its tape.
    pub verdict: ReplayVerdict,
    /// Whether the run opened files that its tape does not have; only tapes of version 1.
    pub open: bool,
    /// The output, where there is one.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub output: Value,
    /// The kind of its error, where there is one.
    pub error: Option<String>,
    /// What the replay used.
    pub usage: Usage,
}

/// How a replay compared with its tape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case", tag = "verdict")]
pub enum ReplayVerdict {
    /// Same steps, same outcome, same output.
    Identical,
    /// The recorded run was ended by time or cancellation; everything up to there was the same.
    SamePrefix,
    /// It went another way.
    Diverged(Divergence),
}

/// Where and why a replay went another way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Divergence {
    /// The step, counted from 1; 0 is what comes before the first.
    pub step: u64,
    /// What differs.
    pub what: String,
    /// What the tape has.
    pub expected: String,
    /// What was found.
    pub found: String,
}
