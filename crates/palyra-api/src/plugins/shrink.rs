//! A profile that keeps what a skill used and nothing else.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The answer of `GET /v1/plugins/{skill_id}/shrink`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ShrinkPlan {
    /// The skill.
    pub skill_id: String,
    /// The revision of the profile that the plan was made from.
    pub revision: u64,
    /// How many runs the plan is drawn from; after few runs, unused says little.
    pub runs: u64,
    /// The grants that stay, as `--grant` writes them.
    pub keep: Vec<String>,
    /// The grants that go, because no run ever used them.
    pub remove: Vec<String>,
    /// The command that does the same.
    pub command: String,
}

/// The body of `POST /v1/plugins/{skill_id}/shrink`: what was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ShrinkRequest {
    /// The revision of the plan.
    pub revision: u64,
    /// What the plan removes; another plan is refused.
    pub remove: Vec<String>,
}
