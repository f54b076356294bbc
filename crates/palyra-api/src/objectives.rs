//! Objectives: goals, and how much may be used for them unattended.

pub use palyra_common::model::routines::ObjectiveState;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Response of `GET /v1/objectives`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ObjectiveList {
    /// The objectives, by name.
    pub objectives: Vec<Objective>,
}

/// An objective.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Objective {
    /// Its name.
    pub name: String,
    /// Purpose.
    pub goal: String,
    /// Status; its routines fire only while it is active.
    pub state: ObjectiveState,
    /// Budget of runs.
    pub max_runs: Option<u64>,
    /// Fuel budget.
    pub max_fuel: Option<u64>,
    /// Number of started runs.
    pub used_runs: u64,
    /// Fuel of finished runs.
    pub used_fuel: u64,
    /// The routines that use its budget.
    pub routines: Vec<String>,
    /// Time at which it was made, in Unix milliseconds.
    pub created_ms: u64,
}

/// Request body of `POST /v1/objectives`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveRequest {
    /// Up to 40 lower-case letters, digits, `-` and `_`.
    #[schema(pattern = "^[a-z0-9_-]{1,40}$")]
    pub name: String,
    /// Purpose.
    pub goal: String,
    /// Budget of runs [default: unlimited].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub max_runs: Option<u64>,
    /// Fuel budget [default: unlimited].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub max_fuel: Option<u64>,
}
