//! The index of installed skills: one record per skill with its current, waiting and previous releases.

pub use palyra_common::model::skills::{QuarantineCause, SkillStatus as RuntimeStatus, TrustState};

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use palyra_common::text::clip_untrusted;
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::audit::{FindingId, InstalledTools, RiskLevel, Verdict};
use crate::compat::{Eligibility, Platform, eligibility};
use crate::digest::Sha256Digest;
use crate::manifest::{SkillManifest, ToolEntrypoint, model_name};

/// Maximum number of previous releases in a record, kept for rollback.
pub const MAX_PREVIOUS: usize = 8;

/// The installed skills by id. Clones share the records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstalledSkillsIndex(BTreeMap<String, Arc<SkillRecord>>);

/// An installed skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillRecord {
    /// The id, `PUBLISHER.NAME`.
    pub skill_id: String,
    /// The publisher part of the id.
    pub publisher: String,
    /// The release that calls use, if it can run.
    pub current: InstalledRelease,
    /// A newer release that cannot run yet; calls still use the current one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Box<InstalledRelease>>,
    /// Earlier current releases, newest first, at most [`MAX_PREVIOUS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub previous: Vec<PastRelease>,
    /// The operator's reason for disabling the skill; `None` if it is enabled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<String>,
}

/// A release of an installed skill whose bytes are in use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstalledRelease {
    /// The payload digest, which identifies the release.
    pub payload: Sha256Digest,
    /// The digest of the archive, which is the name of the stored object.
    pub archive: Sha256Digest,
    /// The ids of the keys that signed it.
    pub signers: Vec<String>,
    /// The trust state, as of the last check.
    pub trust: TrustState,
    /// The reason why it cannot run, if it is quarantined.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Quarantine>,
    /// The id of the consent for its permissions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<Sha256Digest>,
    /// Whether the operator permitted to pin its publisher (`--allow-tofu`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tofu_permitted: bool,
    /// The result of the last audit.
    pub audit: AuditSummary,
    /// The manifest, verified with the payload.
    pub manifest: SkillManifest,
}

/// An earlier release that a rollback can restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PastRelease {
    /// The version in its manifest.
    pub version: Version,
    /// The payload digest, which identifies the release.
    pub payload: Sha256Digest,
    /// The digest of the archive, which is the name of the stored object.
    pub archive: Sha256Digest,
    /// Damage of the stored object found by the last check. A rollback checks again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
}

/// The reason why a release cannot run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quarantine {
    /// The kind of reason; decides which actions lift the quarantine.
    pub cause: QuarantineCause,
    /// The reason as text, escaped and clipped to 500 characters.
    pub reason: String,
}

/// The part of an audit report that the index stores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditSummary {
    /// The verdict, with accepted findings ignored.
    pub verdict: Verdict,
    /// The risk level of all findings, accepted ones included.
    pub risk: RiskLevel,
    /// The digest of policy, rules and advisories; if it differs from the current one, the audit is repeated.
    pub policy_digest: Sha256Digest,
    /// The findings that prevent the skill from running, including accepted ones.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub findings: BTreeSet<FindingId>,
    /// Findings of this release that an operator accepted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub accepted: BTreeSet<FindingId>,
}

/// A record with its state on this machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkillInventoryEntry {
    /// The record from the index.
    pub record: SkillRecord,
    /// Whether the skill can be called on this machine.
    pub runtime_status: RuntimeStatus,
    /// The requirements that this machine does not meet.
    pub eligibility: Eligibility,
}

impl Eq for SkillRecord {}
impl Eq for InstalledRelease {}

impl InstalledSkillsIndex {
    /// Returns the record of a skill.
    #[must_use]
    pub fn get(&self, skill_id: &str) -> Option<&SkillRecord> {
        self.0.get(skill_id).map(Arc::as_ref)
    }

    /// Returns the shared record of a skill, for callers that keep it.
    #[must_use]
    pub fn shared(&self, skill_id: &str) -> Option<&Arc<SkillRecord>> {
        self.0.get(skill_id)
    }

    /// Iterates over the shared records, sorted by skill id.
    pub fn iter_shared(&self) -> impl Iterator<Item = &Arc<SkillRecord>> {
        self.0.values()
    }

    /// Iterates over the records, sorted by skill id.
    pub fn iter(&self) -> impl Iterator<Item = &SkillRecord> {
        self.0.values().map(Arc::as_ref)
    }

    /// Adds or replaces a record.
    pub fn put(&mut self, record: SkillRecord) {
        self.0.insert(record.skill_id.clone(), Arc::new(record));
    }

    /// Removes a record. Returns whether there was one.
    pub fn remove(&mut self, skill_id: &str) -> bool {
        self.0.remove(skill_id).is_some()
    }

    /// Returns every skill with its state on a machine.
    #[must_use]
    pub fn inventory(&self, platform: &Platform) -> Vec<SkillInventoryEntry> {
        self.iter().map(|record| SkillInventoryEntry::new(record.clone(), platform)).collect()
    }

    /// Returns the tools of all current and waiting releases, which the audit compares new ids with.
    #[must_use]
    pub fn installed_tools(&self) -> InstalledTools {
        let releases = self.iter().flat_map(|record| record.releases().map(move |release| (record, release)));
        releases
            .flat_map(|(record, release)| release.tools().map(|tool| (&record.skill_id, &tool.id)))
            .collect()
    }

    /// Returns the skill and tool with an id, among current releases.
    #[must_use]
    pub fn find_tool(&self, tool_id: &str) -> Option<(&SkillRecord, &ToolEntrypoint)> {
        let tools = self.iter().flat_map(|record| record.current.tools().map(move |tool| (record, tool)));
        tools.into_iter().find(|(_, tool)| tool.id == tool_id)
    }

    /// Returns an installed tool of another skill that models would see under the same name as one of this manifest's
    /// tools.
    #[must_use]
    pub fn model_name_taken(&self, manifest: &SkillManifest) -> Option<(String, &ToolEntrypoint)> {
        let wanted: BTreeSet<String> =
            manifest.entrypoints.tools.iter().map(|tool| model_name(&tool.id)).collect();
        let others = self.iter().filter(|record| record.skill_id != manifest.skill_id);
        let tools = others.flat_map(SkillRecord::releases).flat_map(InstalledRelease::tools);
        tools.map(|tool| (model_name(&tool.id), tool)).find(|(name, _)| wanted.contains(name))
    }
}

impl FromIterator<SkillRecord> for InstalledSkillsIndex {
    fn from_iter<I: IntoIterator<Item = SkillRecord>>(records: I) -> Self {
        Self(records.into_iter().map(|record| (record.skill_id.clone(), Arc::new(record))).collect())
    }
}

impl SkillRecord {
    /// Returns the status on this machine, and the unmet requirements.
    #[must_use]
    pub fn status_and_eligibility(&self, platform: &Platform) -> (RuntimeStatus, Eligibility) {
        let eligibility = eligibility(&self.current.manifest, platform);
        match self.runtime_status() {
            RuntimeStatus::Active if !eligibility.is_eligible() => (RuntimeStatus::Error, eligibility),
            status => (status, eligibility),
        }
    }

    /// Returns whether the current release can be called, without regard to the machine.
    #[must_use]
    pub fn runtime_status(&self) -> RuntimeStatus {
        match self.current.status() {
            RuntimeStatus::Active if self.disabled.is_some() => RuntimeStatus::Disabled,
            status => status,
        }
    }

    /// Iterates over the current release and the waiting one, if any.
    pub fn releases(&self) -> impl Iterator<Item = &InstalledRelease> {
        std::iter::once(&self.current).chain(self.waiting.as_deref())
    }

    /// Returns the current or waiting release with this payload.
    #[must_use]
    pub fn release(&self, payload: Sha256Digest) -> Option<&InstalledRelease> {
        self.releases().find(|release| release.payload == payload)
    }

    /// Iterates over the stored objects that the record refers to.
    pub fn objects(&self) -> impl Iterator<Item = Sha256Digest> {
        self.releases().map(|release| release.archive).chain(self.previous.iter().map(|past| past.archive))
    }
}

impl InstalledRelease {
    /// Returns whether this release can be called, without regard to the machine or the disabled state of the skill.
    #[must_use]
    pub fn status(&self) -> RuntimeStatus {
        let believed = matches!(self.trust, TrustState::Tofu | TrustState::Trusted | TrustState::BuiltIn);
        match (&self.quarantine, self.consent) {
            (Some(_), _) => RuntimeStatus::Quarantined,
            (None, Some(_)) if believed => RuntimeStatus::Active,
            (None, None) if self.trust != TrustState::Revoked => RuntimeStatus::AwaitingConsent,
            (None, _) => RuntimeStatus::Quarantined,
        }
    }

    /// Returns whether the release is active.
    #[must_use]
    pub fn is_runnable(&self) -> bool {
        self.status() == RuntimeStatus::Active
    }

    /// Iterates over the tools of the manifest.
    pub fn tools(&self) -> impl Iterator<Item = &ToolEntrypoint> {
        self.manifest.entrypoints.tools.iter()
    }

    /// Returns the entry for `previous` after this release is replaced.
    #[must_use]
    pub fn as_past(&self) -> PastRelease {
        PastRelease {
            version: self.manifest.version.clone(),
            payload: self.payload,
            archive: self.archive,
            damage: None,
        }
    }
}

impl Quarantine {
    /// Creates a quarantine; the reason is escaped and clipped.
    #[must_use]
    pub fn new(cause: QuarantineCause, reason: &str) -> Self {
        Self { cause, reason: clip_untrusted(reason, 500) }
    }
}

impl SkillInventoryEntry {
    /// Creates an entry with the state of a record on a machine.
    #[must_use]
    pub fn new(record: SkillRecord, platform: &Platform) -> Self {
        let (runtime_status, eligibility) = record.status_and_eligibility(platform);
        Self { record, runtime_status, eligibility }
    }
}
