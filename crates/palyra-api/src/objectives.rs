//! Objectives: goals, and how much may be used for them unattended.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The answer of `GET /v1/objectives`.
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
    /// What it is for, in words.
    pub goal: String,
    /// How it stands; its routines fire only while it is active.
    pub state: ObjectiveState,
    /// Most runs in all.
    pub max_runs: Option<u64>,
    /// Most fuel in all.
    pub max_fuel: Option<u64>,
    /// Runs that were begun.
    pub used_runs: u64,
    /// Fuel of those that ended.
    pub used_fuel: u64,
    /// The routines that are charged to it.
    pub routines: Vec<String>,
    /// When it was made, in milliseconds of Unix time.
    pub created_ms: u64,
}

/// How an objective stands.
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

/// The body of `POST /v1/objectives`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ObjectiveRequest {
    /// Up to 40 lower-case letters, digits, `-` and `_`.
    #[schema(pattern = "^[a-z0-9_-]{1,40}$")]
    pub name: String,
    /// What it is for, in words.
    pub goal: String,
    /// Most runs in all; no bound where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub max_runs: Option<u64>,
    /// Most fuel in all; no bound where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub max_fuel: Option<u64>,
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
