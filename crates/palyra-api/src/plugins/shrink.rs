//! A profile that keeps what a skill used and nothing else.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Response of `GET /v1/plugins/{skill_id}/shrink`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShrinkPlan {
    /// The skill.
    pub skill_id: String,
    /// The revision of the profile that the plan was made from.
    pub revision: u64,
    /// Number of runs behind the plan; after few runs, "unused" means little.
    pub runs: u64,
    /// Grants to keep, in the form of `--grant`.
    pub keep: Vec<String>,
    /// Grants to remove, because no run used them.
    pub remove: Vec<String>,
    /// The equivalent command.
    pub command: String,
}

/// Request body of `POST /v1/plugins/{skill_id}/shrink`: what was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ShrinkRequest {
    /// The revision of the plan.
    pub revision: u64,
    /// Grants that the plan removes; a different plan is rejected.
    pub remove: Vec<String>,
}
