//! Settings and reports of plugins.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::runs::{Run, RunTotals};

/// Origin of the value of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConfigSource {
    /// An operator set it.
    Operator,
    /// The manifest's default.
    Default,
    /// There is none.
    Missing,
}

/// One used resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Touch {
    /// Its name.
    pub subject: String,
    /// How often.
    pub uses: u64,
    /// The first run that used it.
    pub first_run: String,
    /// The last run that used it.
    pub last_run: String,
}

/// Response of `GET /v1/plugins/{skill_id}/touched`: everything a skill ever touched, also one that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BlastRadius {
    /// The skill.
    pub skill_id: String,
    /// Contacted hosts.
    pub hosts: Vec<Touch>,
    /// Directories in which it opened files.
    pub file_roots: Vec<Touch>,
    /// Secrets it used, by name.
    pub secrets: Vec<Touch>,
    /// Key prefixes it stored data under.
    pub key_prefixes: Vec<Touch>,
    /// Channels it published to.
    pub channels: Vec<Touch>,
    /// Number of runs.
    pub totals: RunTotals,
    /// Its newest runs.
    pub runs: Vec<Run>,
    /// The `before` for older runs in `GET /v1/runs`.
    pub older_runs: Option<String>,
    /// Whether it used more names than are recorded individually.
    pub more: bool,
}
