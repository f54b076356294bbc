//! The five questions: who made it, what can it touch, what has it used, why is it in this state, what would change it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{SkillEntry, SkillStatus};

/// The answer of `GET /v1/skills/{id}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SkillInfo {
    /// The record, with its state on the daemon's machine.
    pub entry: SkillEntry,
    /// Who made it.
    pub made_by: MadeBy,
    /// What can it touch.
    pub can_touch: CanTouch,
    /// What has it used.
    pub has_used: Vec<CapabilityTotal>,
    /// How often it ran.
    pub runs: RunTotals,
    /// Why is it in this state.
    pub why: String,
    /// What would change it: commands, most useful first.
    pub would_change: Vec<String>,
    /// What the waiting release changes.
    pub waiting: Option<WaitingRelease>,
    /// The digest to agree to, where somebody has to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent_digest: Option<String>,
}

/// The publisher as the daemon knows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MadeBy {
    /// The publisher.
    pub publisher: String,
    /// How it is known; none for one nobody knows.
    pub mode: Option<PublisherMode>,
    /// The keys that signed the current release.
    pub signers: Vec<String>,
}

/// The state of a publisher in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PublisherMode {
    /// Its keys were named by an operator.
    Allowlisted,
    /// Its keys were pinned at first contact.
    TofuPinned,
    /// Nothing of it is accepted.
    Blocked,
}

/// What runs of a skill may touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CanTouch {
    /// What it asks for, in words.
    pub asks: Vec<Permission>,
    /// What runs get, as `--grant` writes it.
    pub granted: Vec<String>,
    /// What it asks for and does not get.
    pub closed: Vec<String>,
}

/// One permission in plain words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Permission {
    /// A sentence without a subject.
    pub text: String,
    /// How much it opens.
    pub severity: PermissionSeverity,
}

/// How much a permission opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionSeverity {
    /// Stays within the skill.
    Low,
    /// Reaches something named.
    Medium,
    /// Reaches much, reads a secret, or changes things outside.
    High,
}

/// How often one door was used over all runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapabilityTotal {
    /// The door, as in `http:api.example.com`.
    pub capability: String,
    /// Calls that went through.
    pub used: u64,
    /// Calls that were refused.
    pub denied: u64,
    /// The last run that came to it.
    pub last_run: String,
}

/// How often a skill ran.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunTotals {
    /// Runs with a result.
    pub completed: u64,
    /// Runs without one.
    pub failed: u64,
    /// When the last one began, in milliseconds of Unix time.
    pub last_started_ms: Option<u64>,
}

/// A release that waits beside the running one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WaitingRelease {
    /// Its state.
    pub status: SkillStatus,
    /// What it changes.
    pub diff: UpdateDiff,
    /// What somebody has to agree to.
    pub consent: ConsentRequest,
}

/// What must be agreed to before a release runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConsentRequest {
    /// The skill.
    pub skill_id: String,
    /// The release it is about.
    pub payload: String,
    /// The running release it would replace.
    pub replaces: Option<String>,
    /// What the release may do.
    pub capability_digest: String,
    /// What models read of it.
    pub model_text_digest: String,
}

/// The differences between two releases.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UpdateDiff {
    /// What differs, grouped by section.
    pub rows: Vec<DiffRow>,
}

/// One difference, for two columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiffRow {
    /// The part of the manifest.
    pub section: DiffSection,
    /// What the row is about.
    pub subject: String,
    /// The old column.
    pub old: Option<String>,
    /// The new column.
    pub new: Option<String>,
    /// What the difference means.
    pub change: DiffChange,
}

/// The part of the manifest a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiffSection {
    /// Version, counter, names outside the model's view.
    Release,
    /// HTTP rules.
    Http,
    /// Secrets.
    Secrets,
    /// Storage prefixes.
    Storage,
    /// Channels.
    Channels,
    /// Filesystem roots.
    Filesystem,
    /// Devices and wildcard opt-in.
    Devices,
    /// Limits.
    Quotas,
    /// Tools, their risk and what they return.
    Tools,
    /// Hooks and their events.
    Hooks,
    /// Settings of the operator.
    Config,
    /// What it runs on.
    Compat,
    /// Text models read.
    Text,
}

/// What a difference means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiffChange {
    /// The new release can do something the old one could not.
    Growth,
    /// A model reads something else.
    Text,
    /// The new release can do less.
    Narrowing,
    /// Neither.
    Neutral,
}
