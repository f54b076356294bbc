//! Reports about the past runs of a plugin, and whether it could run now.

pub use palyra_common::model::plugins::Touch;
pub use palyra_common::model::runs::DeclaredCapability as DeclaredDoor;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::runs::Run;
use crate::skills::RunTotals;

/// Response of `GET /v1/plugins/{skill_id}/check`: what keeps its runs from going well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PluginCheck {
    /// The skill.
    pub skill_id: String,
    /// Whether a call of it would start now.
    pub runnable: bool,
    /// Findings, most severe first.
    pub findings: Vec<PluginFinding>,
}

/// One finding about a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PluginFinding {
    /// Subject: `status`, `policy`, `setting`, `grant` or `directory`.
    pub about: String,
    /// Whether it prevents calls.
    pub stops: bool,
    /// The finding.
    pub message: String,
    /// Suggested next steps.
    pub remedy: Option<String>,
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
