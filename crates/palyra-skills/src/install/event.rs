//! What an installation leaves in the journal.

use semver::Version;
use serde::Serialize;

use crate::digest::Sha256Digest;

/// One event for the journal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InstallEvent {
    /// The change.
    pub kind: InstallEventKind,
    /// The skill, as far as it could be read.
    pub skill_id: Option<String>,
    /// The version, as far as it could be read.
    pub version: Option<Version>,
    /// The release.
    pub payload: Option<Sha256Digest>,
    /// The facts of this kind of event.
    #[serde(serialize_with = "palyra_common::json::in_order::serialize")]
    pub details: serde_json::Value,
}

/// What happened in an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum InstallEventKind {
    /// A release became the one that runs.
    #[serde(rename = "skill:installed")]
    Installed,
    /// A release is stored and cannot run.
    #[serde(rename = "skill:quarantined")]
    Quarantined,
    /// A release is stored and waits for a person.
    #[serde(rename = "skill:awaiting_consent")]
    AwaitingConsent,
    /// A person agreed, or an earlier consent was carried over.
    #[serde(rename = "skill:consented")]
    Consented,
    /// An operator lifted a quarantine or switched it on.
    #[serde(rename = "skill:enabled")]
    Enabled,
    /// A stored release was looked at again.
    #[serde(rename = "skill:audited")]
    Audited,
    /// An operator went back to an earlier release.
    #[serde(rename = "skill:rolled_back")]
    RolledBack,
    /// An artifact was refused.
    #[serde(rename = "skill:refused")]
    Refused,
    /// A publisher's keys were pinned.
    #[serde(rename = "publisher:pinned")]
    PublisherPinned,
    /// A publisher handed over to new keys.
    #[serde(rename = "publisher:rotated")]
    PublisherRotated,
}

impl InstallEventKind {
    /// The word in the journal.
    #[must_use]
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Installed => "skill:installed",
            Self::Quarantined => "skill:quarantined",
            Self::AwaitingConsent => "skill:awaiting_consent",
            Self::Consented => "skill:consented",
            Self::Enabled => "skill:enabled",
            Self::Audited => "skill:audited",
            Self::RolledBack => "skill:rolled_back",
            Self::Refused => "skill:refused",
            Self::PublisherPinned => "publisher:pinned",
            Self::PublisherRotated => "publisher:rotated",
        }
    }
}
