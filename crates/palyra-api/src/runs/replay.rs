//! A stored run again, from its tape.

pub use palyra_common::model::runs::{Divergence, ReplayVerdict};

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
