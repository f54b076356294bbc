//! The events that an installation records in the journal.

use semver::Version;
use serde::Serialize;

use crate::digest::Sha256Digest;

/// An event for the journal.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InstallEvent {
    /// The kind of change.
    pub kind: InstallEventKind,
    /// The skill, if its manifest could be read.
    pub skill_id: Option<String>,
    /// The version, if the manifest could be read.
    pub version: Option<Version>,
    /// The payload digest of the release, once it was verified.
    pub payload: Option<Sha256Digest>,
    /// Facts that depend on the kind of event.
    #[serde(serialize_with = "palyra_common::json::in_order::serialize")]
    pub details: serde_json::Value,
}

/// The kind of an installation event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum InstallEventKind {
    /// A release became the current one.
    #[serde(rename = "skill:installed")]
    Installed,
    /// A release was stored and cannot run.
    #[serde(rename = "skill:quarantined")]
    Quarantined,
    /// A release was stored and needs consent.
    #[serde(rename = "skill:awaiting_consent")]
    AwaitingConsent,
    /// A person consented, or an earlier consent was carried over.
    #[serde(rename = "skill:consented")]
    Consented,
    /// An operator lifted a quarantine or enabled the skill.
    #[serde(rename = "skill:enabled")]
    Enabled,
    /// A stored release was audited again.
    #[serde(rename = "skill:audited")]
    Audited,
    /// An operator restored an earlier release.
    #[serde(rename = "skill:rolled_back")]
    RolledBack,
    /// An artifact was rejected.
    #[serde(rename = "skill:refused")]
    Refused,
    /// A publisher's keys were pinned.
    #[serde(rename = "publisher:pinned")]
    PublisherPinned,
    /// A publisher rotated to new keys.
    #[serde(rename = "publisher:rotated")]
    PublisherRotated,
}

impl InstallEventKind {
    /// Returns the name of the event in the journal.
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
