//! The five questions: who made it, what can it touch, what has it used, why is it in this state, what would change it.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{SkillEntry, SkillStatus};

/// Response of `GET /v1/skills/{id}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SkillInfo {
    /// The record, with its state on the daemon's machine.
    pub entry: SkillEntry,
    /// The publisher.
    pub made_by: MadeBy,
    /// Permissions.
    pub can_touch: CanTouch,
    /// Use of capabilities.
    pub has_used: Vec<CapabilityTotal>,
    /// Number of runs.
    pub runs: RunTotals,
    /// Why is it in this state.
    pub why: String,
    /// Commands that would change it, most useful first.
    pub would_change: Vec<String>,
    /// Changes of the pending release.
    pub waiting: Option<WaitingRelease>,
    /// The digest for consent, if required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent_digest: Option<String>,
}

/// The publisher in the trust store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MadeBy {
    /// The publisher.
    pub publisher: String,
    /// How it is known; `null` for an unknown one.
    pub mode: Option<PublisherMode>,
    /// The keys that signed the current release.
    pub signers: Vec<String>,
}

/// Trust status of a publisher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PublisherMode {
    /// Its keys were named by an operator.
    Allowlisted,
    /// Its keys were pinned at first contact.
    TofuPinned,
    /// It is blocked.
    Blocked,
}

/// Permissions of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CanTouch {
    /// Requested permissions as text.
    pub asks: Vec<Permission>,
    /// Effective grants, in the form of `--grant`.
    pub granted: Vec<String>,
    /// Requested permissions that are not granted.
    pub closed: Vec<String>,
}

/// One permission as text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Permission {
    /// A sentence without a subject.
    pub text: String,
    /// Weight.
    pub severity: PermissionSeverity,
}

/// Weight of a permission.
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

/// Uses of one capability over all runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CapabilityTotal {
    /// The capability, for example `http:api.example.com`.
    pub capability: String,
    /// Number of successful uses.
    pub used: u64,
    /// Number of denied uses.
    pub denied: u64,
    /// The last run that used it.
    pub last_run: String,
}

/// Number of runs of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunTotals {
    /// Number of successful runs.
    pub completed: u64,
    /// Number of failed runs.
    pub failed: u64,
    /// Start of the last one, in Unix milliseconds.
    pub last_started_ms: Option<u64>,
}

/// A pending release of an installed skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WaitingRelease {
    /// Its state.
    pub status: SkillStatus,
    /// Changes.
    pub diff: UpdateDiff,
    /// Permissions that need consent.
    pub consent: ConsentRequest,
}

/// Consent required before a release can run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConsentRequest {
    /// The skill.
    pub skill_id: String,
    /// The release it is about.
    pub payload: String,
    /// The running release it would replace.
    pub replaces: Option<String>,
    /// Permissions of the release.
    pub capability_digest: String,
    /// Texts for models.
    pub model_text_digest: String,
}

/// The differences between two releases.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UpdateDiff {
    /// Differences, grouped by section.
    pub rows: Vec<DiffRow>,
}

/// One difference, in two columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DiffRow {
    /// The part of the manifest.
    pub section: DiffSection,
    /// Subject of the row.
    pub subject: String,
    /// The old column.
    pub old: Option<String>,
    /// The new column.
    pub new: Option<String>,
    /// Meaning of the difference.
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
    /// Requirements.
    Compat,
    /// Text models read.
    Text,
}

/// Meaning of a difference.
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
