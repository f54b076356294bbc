//! Plugins: what an installed skill's runs get and why, and what an operator set for it.

mod reports;
mod settings;
mod shrink;

pub use palyra_common::model::grants::{GrantAuthority, GrantStep, GrantVerdict};
pub use reports::{BlastRadius, DeclaredDoor, PluginCheck, PluginFinding, Touch};
pub use settings::{
    Config, ConfigChange, ConfigField, ConfigFieldKind, ConfigSource, Profile, ProfileChange, Removed,
};
pub use shrink::{ShrinkPlan, ShrinkRequest};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::skills::{CapabilityTotal, SkillStatus};

/// Response of `GET /v1/plugins`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PluginList {
    /// The plugins, by skill.
    pub plugins: Vec<PluginSummary>,
}

/// A plugin in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PluginSummary {
    /// The skill.
    pub skill_id: String,
    /// Its version.
    pub version: String,
    /// Whether it can be called now.
    pub status: SkillStatus,
    /// Effective grants, in the form of `--grant`.
    pub granted: Vec<String>,
    /// Number of requested grants that are denied or reduced.
    pub narrowed: u64,
    /// Whether an operator set a profile for it.
    pub profile: bool,
    /// Required settings without a value.
    pub missing_settings: Vec<String>,
}

/// Response of `GET /v1/plugins/{skill_id}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PluginInfo {
    /// The plugin as lists show it.
    #[serde(flatten)]
    pub summary: PluginSummary,
    /// Every declared capability, used or not.
    pub declared: Vec<DeclaredDoor>,
    /// Capabilities it attempted to use without declaring them.
    pub undeclared: Vec<CapabilityTotal>,
    /// The profile an operator set.
    pub profile_set: Option<Profile>,
    /// Its settings.
    pub config: Config,
}

/// Response of `GET /v1/plugins/{skill_id}/grants`: what runs get, and who said what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PluginGrants {
    /// The skill.
    pub skill_id: String,
    /// Effective grants, in the form of `--grant`.
    pub grants: Vec<String>,
    /// Address ranges that an operator allowed.
    pub allow_addresses: Vec<String>,
    /// The decisions about each requested grant.
    pub derivations: Vec<GrantDerivation>,
    /// The tools that the manifest gives less than the skill, by id, and what their runs get.
    #[serde(default)]
    pub tools: Vec<ToolGrants>,
}

/// What runs of a tool get that narrows the capabilities of its skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolGrants {
    /// The tool, as in `acme.notes.list`.
    pub tool_id: String,
    /// What its runs get, as `--grant` writes it.
    pub grants: Vec<String>,
}

/// Decisions about one grant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrantDerivation {
    /// The requested grant.
    pub asked: String,
    /// What the requested grant allows, as a sentence without its period.
    #[serde(default)]
    pub text: String,
    /// The decision of each authority in order, up to the first denial.
    pub steps: Vec<GrantStep>,
    /// What is granted of it.
    pub given: Vec<String>,
}
