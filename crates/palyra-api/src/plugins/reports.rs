//! What a plugin did, and whether it would run now.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::runs::Run;
use crate::skills::RunTotals;

/// One declared door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DeclaredDoor {
    /// The door, as in `http:api.example.com`.
    pub capability: String,
    /// Calls that went through.
    pub used: u64,
    /// Calls that were refused.
    pub denied: u64,
    /// The last run that came to it.
    pub last_run: Option<String>,
}

/// The answer of `GET /v1/plugins/{skill_id}/check`: what keeps its runs from going well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PluginCheck {
    /// The skill.
    pub skill_id: String,
    /// Whether a call of it would begin now.
    pub runnable: bool,
    /// What was found, worst first.
    pub findings: Vec<PluginFinding>,
}

/// One thing an operator may want to change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PluginFinding {
    /// What it is about: `status`, `policy`, `setting`, `grant` or `directory`.
    pub about: String,
    /// Whether no call begins because of it.
    pub stops: bool,
    /// What was found.
    pub message: String,
    /// What a person can do.
    pub remedy: Option<String>,
}

/// The answer of `GET /v1/plugins/{skill_id}/touched`: everything a skill ever touched, also one that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BlastRadius {
    /// The skill.
    pub skill_id: String,
    /// Hosts it reached.
    pub hosts: Vec<Touch>,
    /// Directories it had while it opened files.
    pub file_roots: Vec<Touch>,
    /// Secrets it used, by name.
    pub secrets: Vec<Touch>,
    /// Prefixes it kept keys under.
    pub key_prefixes: Vec<Touch>,
    /// Channels it published to.
    pub channels: Vec<Touch>,
    /// How often it ran.
    pub totals: RunTotals,
    /// Its newest runs.
    pub runs: Vec<Run>,
    /// Where older runs begin in `GET /v1/runs`, as `before`.
    pub older_runs: Option<String>,
    /// Whether it touched more names than are kept one by one.
    pub more: bool,
}

/// One thing that was touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Touch {
    /// Its name.
    pub subject: String,
    /// How often.
    pub uses: u64,
    /// By which run first.
    pub first_run: String,
    /// By which run last.
    pub last_run: String,
}
