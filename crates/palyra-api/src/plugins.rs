//! Plugins: what an installed skill's runs get and why, and what an operator set for it.

mod reports;
mod settings;
mod shrink;

pub use reports::{BlastRadius, DeclaredDoor, PluginCheck, PluginFinding, Touch};
pub use settings::{
    Config, ConfigChange, ConfigField, ConfigFieldKind, ConfigSource, Profile, ProfileChange, Removed,
};
pub use shrink::{ShrinkPlan, ShrinkRequest};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::skills::{CapabilityTotal, SkillStatus};

/// The answer of `GET /v1/plugins`.
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
    /// What its runs get, as `--grant` writes it.
    pub granted: Vec<String>,
    /// How much of what it asks for it does not get, or gets less of.
    pub narrowed: u64,
    /// Whether an operator set a profile for it.
    pub profile: bool,
    /// Settings that must have a value and have none.
    pub missing_settings: Vec<String>,
}

/// The answer of `GET /v1/plugins/{skill_id}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PluginInfo {
    /// The plugin as lists show it.
    #[serde(flatten)]
    pub summary: PluginSummary,
    /// Every door the manifest declares, used or not.
    pub declared: Vec<DeclaredDoor>,
    /// Doors it came to without declaring them.
    pub undeclared: Vec<CapabilityTotal>,
    /// The profile an operator set.
    pub profile_set: Option<Profile>,
    /// Its settings.
    pub config: Config,
}

/// The answer of `GET /v1/plugins/{skill_id}/grants`: what runs get, and who said what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PluginGrants {
    /// The skill.
    pub skill_id: String,
    /// What its runs get, as `--grant` writes it.
    pub grants: Vec<String>,
    /// Address ranges an operator opened.
    pub allow_addresses: Vec<String>,
    /// For each grant the manifest asks for, who said what.
    pub derivations: Vec<GrantDerivation>,
}

/// How one grant fared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrantDerivation {
    /// What is asked for.
    pub asked: String,
    /// What each authority said, in the order they were asked; it ends with the first that refused.
    pub steps: Vec<GrantStep>,
    /// What is left of it.
    pub given: Vec<String>,
}

/// What one authority said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GrantStep {
    /// Who.
    pub by: GrantAuthority,
    /// Yes, no, or less than asked.
    pub verdict: GrantVerdict,
    /// Why, as part of a sentence.
    pub reason: String,
    /// The command that would change it.
    pub remedy: Option<String>,
}

/// Who has a say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantAuthority {
    /// What the release asks for.
    Manifest,
    /// What somebody agreed to.
    Consent,
    /// The operator's profile of the skill.
    Profile,
    /// The operator's policy for every run.
    Policy,
}

/// What was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum GrantVerdict {
    /// All of it.
    Granted,
    /// Some of it.
    Narrowed,
    /// None of it.
    Refused,
}
