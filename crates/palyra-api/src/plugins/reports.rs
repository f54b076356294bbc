//! Reports about the past runs of a plugin, and whether it could run now.

pub use palyra_common::model::plugins::{BlastRadius, Touch};
pub use palyra_common::model::runs::DeclaredCapability as DeclaredDoor;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

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
