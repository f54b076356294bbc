//! What verification returns.

use serde::Serialize;

use crate::artifact::SkillArtifact;
use crate::artifact::sidecars::{ProvenanceEvidence, SbomSummary};
use crate::digest::Sha256Digest;
use crate::manifest::SkillManifest;
use crate::signing::{PublisherKey, ReleasePredicate};
use crate::trust::{TrustChange, TrustDecision};

/// A skill that passed every step; only verification makes one.
#[derive(Debug, Clone)]
pub struct VerifiedSkill {
    pub(super) artifact: SkillArtifact,
    pub(super) manifest: SkillManifest,
    pub(super) payload: Sha256Digest,
    pub(super) signers: Vec<PublisherKey>,
    pub(super) predicate: ReleasePredicate,
    pub(super) sbom: SbomSummary,
    pub(super) provenance: ProvenanceEvidence,
}

/// The outcome of a verification that refused nothing.
#[derive(Debug, Clone)]
pub struct Verification {
    /// The skill.
    pub skill: VerifiedSkill,
    /// Trust state of its publisher.
    pub trust: TrustDecision,
    /// Trust changes on acceptance; `None` for an unknown publisher.
    pub proposed: Option<TrustChange>,
    /// Each step and what it found, in order.
    pub steps: Vec<VerifyStep>,
}

/// One step that passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifyStep {
    /// The step.
    pub name: VerifyStepName,
    /// The check.
    pub checked: &'static str,
    /// The finding.
    pub found: String,
}

/// The steps, in order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerifyStepName {
    /// The length.
    #[default]
    Size,
    /// The canonical archive.
    Archive,
    /// The envelope and the statement in it.
    Envelope,
    /// The signatures.
    Signatures,
    /// The statement against the entries.
    Statement,
    /// The manifest.
    Manifest,
    /// The versions it needs.
    Compat,
    /// Whether its keys are trusted.
    Trust,
    /// Whose skill it is and how far it has come.
    Ownership,
    /// The bill of materials and the provenance.
    Sidecars,
}

impl VerifyStepName {
    /// The word people and programs see.
    #[must_use]
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Archive => "archive",
            Self::Envelope => "envelope",
            Self::Signatures => "signatures",
            Self::Statement => "statement",
            Self::Manifest => "manifest",
            Self::Compat => "compat",
            Self::Trust => "trust",
            Self::Ownership => "ownership",
            Self::Sidecars => "sidecars",
        }
    }
}

impl std::fmt::Display for VerifyStepName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.wire_name())
    }
}

impl VerifiedSkill {
    /// The manifest.
    #[must_use]
    pub fn manifest(&self) -> &SkillManifest {
        &self.manifest
    }

    /// The archive.
    #[must_use]
    pub fn artifact(&self) -> &SkillArtifact {
        &self.artifact
    }

    /// The digest of everything that is signed; the name of this release.
    #[must_use]
    pub fn payload(&self) -> Sha256Digest {
        self.payload
    }

    /// The modules: path and bytes.
    pub fn modules(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.artifact.modules()
    }

    /// The keys whose signatures hold, sorted by key id.
    #[must_use]
    pub fn signers(&self) -> &[PublisherKey] {
        &self.signers
    }

    /// What the publisher signed about the release.
    #[must_use]
    pub fn release(&self) -> &ReleasePredicate {
        &self.predicate
    }

    /// What the bill of materials lists.
    #[must_use]
    pub fn sbom(&self) -> &SbomSummary {
        &self.sbom
    }

    /// What the provenance is worth.
    #[must_use]
    pub fn provenance(&self) -> &ProvenanceEvidence {
        &self.provenance
    }
}
