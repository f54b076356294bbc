//! What is installed: one record per skill, with the release that runs, the one that waits, and those before.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use palyra_common::text::clip_untrusted;
use semver::Version;
use serde::{Deserialize, Serialize};

use crate::audit::{FindingId, InstalledTools, RiskLevel, Verdict};
use crate::compat::{Eligibility, Platform, eligibility};
use crate::digest::Sha256Digest;
use crate::manifest::{SkillManifest, ToolEntrypoint, model_name};

/// Earlier releases a record remembers for going back.
pub const MAX_PREVIOUS: usize = 8;

/// Trust state of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrustState {
    /// Stored, and nothing more.
    Quarantine,
    /// Its publisher's keys were pinned at first contact.
    Tofu,
    /// Its publisher is allowlisted.
    Trusted,
    /// It came with the program, which has its payload digest compiled in.
    #[serde(rename = "built-in")]
    BuiltIn,
    /// Its payload or its keys are revoked, for good.
    Revoked,
}

/// Whether a skill can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuntimeStatus {
    /// It can.
    Active,
    /// It is kept from running.
    Quarantined,
    /// A person must agree first.
    AwaitingConsent,
    /// An operator switched it off.
    Disabled,
    /// It does not fit this machine, or its bytes cannot be read.
    Error,
}

/// Every installed skill by its id; a copy shares the records.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstalledSkillsIndex(BTreeMap<String, Arc<SkillRecord>>);

/// One installed skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillRecord {
    /// The skill.
    pub skill_id: String,
    /// Owner.
    pub publisher: String,
    /// The active release.
    pub current: InstalledRelease,
    /// A newer release that cannot run yet; the current one keeps running.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Box<InstalledRelease>>,
    /// Releases that ran before, newest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub previous: Vec<PastRelease>,
    /// Why an operator disabled it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled: Option<String>,
}

/// One release of an installed skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstalledRelease {
    /// The payload digest, which identifies the release.
    pub payload: Sha256Digest,
    /// The digest of the archive; the name of the stored object.
    pub archive: Sha256Digest,
    /// The keys that signed it.
    pub signers: Vec<String>,
    /// Trust state.
    pub trust: TrustState,
    /// Why it cannot run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quarantine: Option<Quarantine>,
    /// The consent for its permissions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent: Option<Sha256Digest>,
    /// Whether its publisher may be pinned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tofu_permitted: bool,
    /// Result of the last audit.
    pub audit: AuditSummary,
    /// Its manifest.
    pub manifest: SkillManifest,
}

/// A release that ran before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PastRelease {
    /// Its version.
    pub version: Version,
    /// Its payload.
    pub payload: Sha256Digest,
    /// Its stored object.
    pub archive: Sha256Digest,
    /// Damage of its stored object, found by the last check; a rollback checks again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub damage: Option<String>,
}

/// Why a release cannot run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quarantine {
    /// Reason.
    pub cause: QuarantineCause,
    /// As text.
    pub reason: String,
}

/// Obstacle to running a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

/// What an audit said, as far as the index keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditSummary {
    /// The verdict after accepted findings.
    pub verdict: Verdict,
    /// The risk.
    pub risk: RiskLevel,
    /// The policy, rules and advisories it was made with; another digest means it is due again.
    pub policy_digest: Sha256Digest,
    /// The findings that keep it from running, accepted ones included.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub findings: BTreeSet<FindingId>,
    /// Findings of this release that an operator accepted.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub accepted: BTreeSet<FindingId>,
}

/// A record with what follows from it on this machine.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SkillInventoryEntry {
    /// The record.
    pub record: SkillRecord,
    /// Whether it can be called.
    pub runtime_status: RuntimeStatus,
    /// Whether it fits this machine.
    pub eligibility: Eligibility,
}

impl Eq for SkillRecord {}
impl Eq for InstalledRelease {}

impl InstalledSkillsIndex {
    /// The record of a skill.
    #[must_use]
    pub fn get(&self, skill_id: &str) -> Option<&SkillRecord> {
        self.0.get(skill_id).map(Arc::as_ref)
    }

    /// The record of a skill, to keep.
    #[must_use]
    pub fn shared(&self, skill_id: &str) -> Option<&Arc<SkillRecord>> {
        self.0.get(skill_id)
    }

    /// Every record, by skill id, to keep.
    pub fn iter_shared(&self) -> impl Iterator<Item = &Arc<SkillRecord>> {
        self.0.values()
    }

    /// Every record, by skill id.
    pub fn iter(&self) -> impl Iterator<Item = &SkillRecord> {
        self.0.values().map(Arc::as_ref)
    }

    /// Adds or replaces a record.
    pub fn put(&mut self, record: SkillRecord) {
        self.0.insert(record.skill_id.clone(), Arc::new(record));
    }

    /// Takes a record out; says whether there was one.
    pub fn remove(&mut self, skill_id: &str) -> bool {
        self.0.remove(skill_id).is_some()
    }

    /// Every skill with its status on a machine.
    #[must_use]
    pub fn inventory(&self, platform: &Platform) -> Vec<SkillInventoryEntry> {
        self.iter().map(|record| SkillInventoryEntry::new(record.clone(), platform)).collect()
    }

    /// The tools of every release that runs or waits, for the audit to compare with.
    #[must_use]
    pub fn installed_tools(&self) -> InstalledTools {
        let releases = self.iter().flat_map(|record| record.releases().map(move |release| (record, release)));
        releases
            .flat_map(|(record, release)| release.tools().map(|tool| (&record.skill_id, &tool.id)))
            .collect()
    }

    /// The skill and tool that answer to an id.
    #[must_use]
    pub fn find_tool(&self, tool_id: &str) -> Option<(&SkillRecord, &ToolEntrypoint)> {
        let tools = self.iter().flat_map(|record| record.current.tools().map(move |tool| (record, tool)));
        tools.into_iter().find(|(_, tool)| tool.id == tool_id)
    }

    /// The installed tool of another skill that models would see under the same name as one of this manifest.
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
    /// Its state on this machine, and what it misses there.
    #[must_use]
    pub fn status_and_eligibility(&self, platform: &Platform) -> (RuntimeStatus, Eligibility) {
        let eligibility = eligibility(&self.current.manifest, platform);
        match self.runtime_status() {
            RuntimeStatus::Active if !eligibility.is_eligible() => (RuntimeStatus::Error, eligibility),
            status => (status, eligibility),
        }
    }

    /// Whether the current release can be called, as far as the index knows.
    #[must_use]
    pub fn runtime_status(&self) -> RuntimeStatus {
        match self.current.status() {
            RuntimeStatus::Active if self.disabled.is_some() => RuntimeStatus::Disabled,
            status => status,
        }
    }

    /// The releases with bytes that are in use: current, then waiting.
    pub fn releases(&self) -> impl Iterator<Item = &InstalledRelease> {
        std::iter::once(&self.current).chain(self.waiting.as_deref())
    }

    /// The current or waiting release with this payload.
    #[must_use]
    pub fn release(&self, payload: Sha256Digest) -> Option<&InstalledRelease> {
        self.releases().find(|release| release.payload == payload)
    }

    /// Every stored object the record needs.
    pub fn objects(&self) -> impl Iterator<Item = Sha256Digest> {
        self.releases().map(|release| release.archive).chain(self.previous.iter().map(|past| past.archive))
    }
}

impl InstalledRelease {
    /// Whether this release can be called.
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

    /// Whether it can run.
    #[must_use]
    pub fn is_runnable(&self) -> bool {
        self.status() == RuntimeStatus::Active
    }

    /// Its tools.
    pub fn tools(&self) -> impl Iterator<Item = &ToolEntrypoint> {
        self.manifest.entrypoints.tools.iter()
    }

    /// What stays in the record after it ran.
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
    /// A quarantine with its reason, made safe to show.
    #[must_use]
    pub fn new(cause: QuarantineCause, reason: &str) -> Self {
        Self { cause, reason: clip_untrusted(reason, 500) }
    }
}

impl SkillInventoryEntry {
    /// A record as this machine sees it.
    #[must_use]
    pub fn new(record: SkillRecord, platform: &Platform) -> Self {
        let (runtime_status, eligibility) = record.status_and_eligibility(platform);
        Self { record, runtime_status, eligibility }
    }
}
