//! Installed skills, their trust and their differences.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::named_values::named_values;

/// Whether a skill can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SkillStatus {
    /// It can.
    Active,
    /// It is kept from running.
    Quarantined,
    /// A person must agree first.
    AwaitingConsent,
    /// An operator switched it off.
    Disabled,
    /// It does not fit the machine, or its bytes cannot be read.
    Error,
}

named_values! {
    /// Trust state of a release.
    TrustState in "Trust" {
        /// Stored, and nothing more.
        Quarantine = "quarantine",
        /// Its publisher's keys were pinned at first contact.
        Tofu = "tofu",
        /// Its publisher is allowlisted.
        Trusted = "trusted",
        /// It came with the program, which has its payload digest compiled in.
        BuiltIn = "built-in",
        /// Its payload or its keys are revoked, for good.
        Revoked = "revoked",
    }
}

/// Obstacle to running a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuarantineCause {
    /// Its publisher is unknown.
    UnknownPublisher,
    /// The audit found something.
    Audit,
    /// An operator said so.
    Operator,
    /// Its description differs from its manifest.
    Describe,
    /// Its payload, keys or publisher are no longer trusted.
    Trust,
    /// Its bytes are not what they were.
    Damage,
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

/// Origin of trust in keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyOrigin {
    /// An operator named them.
    Allowlisted,
    /// They came with the first skill.
    TofuPinned,
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

/// Placement of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// It is the skill's current release.
    Current,
    /// It waits beside the current one, which runs on.
    Waiting,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionSeverity {
    /// Stays within the skill.
    Low,
    /// Reaches something named.
    Medium,
    /// Reaches much, reads a secret, or changes things outside.
    High,
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
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

/// One dependency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillDependency {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its package URL, if its registry has one.
    pub purl: Option<String>,
}
