//! The input of the install pipeline.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::audit::{AuditPolicy, FindingId};
use crate::compat::Platform;
use crate::consent::{ConsentGiven, ConsentIndex};
use crate::digest::Sha256Digest;
use crate::index::{InstalledRelease, InstalledSkillsIndex, SkillRecord};
use crate::trust::TrustSnapshot;

/// The input of the install pipeline.
#[derive(Debug, Clone)]
pub struct InstallRequest {
    /// The bytes of the artifact, from the caller or from the store.
    pub bytes: Arc<[u8]>,
    /// Whether the artifact is new or stored.
    pub entry: InstallEntry,
    /// Whether the keys of an unknown publisher may be pinned (`--allow-tofu`).
    pub allow_tofu: bool,
    /// The consent of a person, if one was given with the request.
    pub consent: Option<ConsentGiven>,
    /// Soft findings that the operator accepts for this release.
    pub accept: BTreeSet<FindingId>,
}

/// The origin of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InstallEntry {
    /// A file from outside: a first installation or an update.
    Offered,
    /// An installed release from the store.
    Installed {
        /// The id of the skill.
        skill_id: String,
        /// The payload digest of the release.
        payload: Sha256Digest,
        /// The reason for the repeated check.
        purpose: Purpose,
    },
}

/// Why a stored release is checked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Policy, advisories or revocations may have changed. Lifts only a quarantine for an unknown publisher.
    ReAudit,
    /// An operator lifts a quarantine or enables the skill.
    Enable,
    /// A person consents to the permissions.
    Consent,
    /// An operator restores an earlier release.
    Rollback,
}

/// The facts that the install pipeline reads: an immutable view of one generation of the state.
#[derive(Debug, Clone, Copy)]
pub struct InstallContext<'a> {
    /// The generation that every other field belongs to.
    pub generation: u64,
    /// Trusted publishers, pinned keys and revocations.
    pub trust: &'a TrustSnapshot,
    /// The version of this program and the capabilities of this machine.
    pub platform: &'a Platform,
    /// The policy of the audit.
    pub policy: &'a AuditPolicy,
    /// The installed skills.
    pub index: &'a InstalledSkillsIndex,
    /// The stored consents.
    pub consents: &'a ConsentIndex,
}

impl InstallRequest {
    /// Creates a request for an artifact from outside, without consent, accepted findings or permission to pin.
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

    /// Creates a request to check a stored release again.
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

    /// Returns the stored record and, if it is the current or waiting one, the stored release. `None` for a file from
    /// outside.
    pub(super) fn stored<'a>(
        &self,
        context: &InstallContext<'a>,
    ) -> Option<(&'a SkillRecord, Option<&'a InstalledRelease>)> {
        let InstallEntry::Installed { skill_id, payload, .. } = &self.entry else { return None };
        context.index.get(skill_id).map(|record| (record, record.release(*payload)))
    }

    /// Returns whether keys may be pinned. A permission from when the release was stored is valid until it is used.
    pub(super) fn permits_tofu(&self, context: &InstallContext<'_>) -> bool {
        let stored = self.stored(context).and_then(|(_, release)| release);
        self.allow_tofu || stored.is_some_and(|release| release.tofu_permitted)
    }
}
