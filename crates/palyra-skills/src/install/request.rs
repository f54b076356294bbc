//! The input of the install pipeline.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::audit::{AuditPolicy, FindingId};
use crate::compat::Platform;
use crate::consent::{ConsentGiven, ConsentIndex};
use crate::digest::Sha256Digest;
use crate::index::{InstalledRelease, InstalledSkillsIndex, SkillRecord};
use crate::trust::TrustSnapshot;

/// The request.
#[derive(Debug, Clone)]
pub struct InstallRequest {
    /// The bytes of the artifact, offered or as stored.
    pub bytes: Arc<[u8]>,
    /// How it comes in.
    pub entry: InstallEntry,
    /// Whether the keys of a publisher never seen may be pinned.
    pub allow_tofu: bool,
    /// What a person agreed to.
    pub consent: Option<ConsentGiven>,
    /// Soft findings an operator accepts for this release.
    pub accept: BTreeSet<FindingId>,
}

/// The origin of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstallEntry {
    /// From outside: a first installation or an update.
    Offered,
    /// From the store, by its name there.
    Installed {
        /// The skill.
        skill_id: String,
        /// The release.
        payload: Sha256Digest,
        /// Purpose.
        purpose: Purpose,
    },
}

/// Why a stored release is checked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Policy, advisories or revocations may have changed; this never lifts a quarantine.
    ReAudit,
    /// An operator lifts a quarantine or switches it on again.
    Enable,
    /// A person agrees to what it may do.
    Consent,
    /// An operator goes back to a release that ran before.
    Rollback,
}

/// The facts for the install pipeline: an immutable view of one generation of the state.
#[derive(Debug, Clone, Copy)]
pub struct InstallContext<'a> {
    /// The generation of everything below.
    pub generation: u64,
    /// The trusted keys.
    pub trust: &'a TrustSnapshot,
    /// Facts about this machine.
    pub platform: &'a Platform,
    /// What the audit goes by.
    pub policy: &'a AuditPolicy,
    /// Installed skills.
    pub index: &'a InstalledSkillsIndex,
    /// The consent.
    pub consents: &'a ConsentIndex,
}

impl InstallRequest {
    /// An artifact from outside, with nothing permitted and nothing agreed to.
    #[must_use]
    pub fn offered(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self {
            bytes: bytes.into(),
            entry: InstallEntry::Offered,
            allow_tofu: false,
            consent: None,
            accept: BTreeSet::new(),
        }
    }

    /// A stored release that is checked again.
    #[must_use]
    pub fn installed(
        bytes: impl Into<Arc<[u8]>>,
        skill_id: &str,
        payload: Sha256Digest,
        purpose: Purpose,
    ) -> Self {
        let entry = InstallEntry::Installed { skill_id: skill_id.to_owned(), payload, purpose };
        Self { entry, ..Self::offered(bytes) }
    }

    pub(super) fn purpose(&self) -> Option<Purpose> {
        match &self.entry {
            InstallEntry::Offered => None,
            InstallEntry::Installed { purpose, .. } => Some(*purpose),
        }
    }

    /// The stored record and, unless it ran before and was replaced, the stored release this is about.
    pub(super) fn stored<'a>(
        &self,
        context: &InstallContext<'a>,
    ) -> Option<(&'a SkillRecord, Option<&'a InstalledRelease>)> {
        let InstallEntry::Installed { skill_id, payload, .. } = &self.entry else { return None };
        context.index.get(skill_id).map(|record| (record, record.release(*payload)))
    }

    /// A permission to pin that was given when the release was stored holds until it is used.
    pub(super) fn permits_tofu(&self, context: &InstallContext<'_>) -> bool {
        let stored = self.stored(context).and_then(|(_, release)| release);
        self.allow_tofu || stored.is_some_and(|release| release.tofu_permitted)
    }
}
