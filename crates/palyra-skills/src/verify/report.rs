//! The result of a successful verification.

use serde::Serialize;

use crate::artifact::SkillArtifact;
use crate::artifact::sidecars::{ProvenanceEvidence, SbomSummary};
use crate::digest::Sha256Digest;
use crate::manifest::SkillManifest;
use crate::signing::{PublisherKey, ReleasePredicate};
use crate::trust::{TrustChange, TrustDecision};

/// A skill that passed every step. Only verification constructs it.
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

/// The result of a successful verification.
#[derive(Debug, Clone)]
pub struct Verification {
    /// The verified skill.
    pub skill: VerifiedSkill,
    /// The trust in its publisher. An unknown publisher is not an error.
    pub trust: TrustDecision,
    /// The trust changes to store on acceptance; `None` for an unknown publisher.
    pub proposed: Option<TrustChange>,
    /// The steps with their findings, in order.
    pub steps: Vec<VerifyStep>,
}

/// A step that passed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct VerifyStep {
    /// The name of the step.
    pub name: VerifyStepName,
    /// The check, as text.
    pub checked: &'static str,
    /// The result of the check, as text.
    pub found: String,
}

/// The steps of verification, in order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerifyStepName {
    /// The length of the file.
    #[default]
    Size,
    /// The canonical encoding of the archive.
    Archive,
    /// The form of the envelope and of its statement.
    Envelope,
    /// The signatures and the threshold.
    Signatures,
    /// The statement compared with the entries.
    Statement,
    /// The manifest and the modules that it names.
    Manifest,
    /// The supported versions of Palyra.
    Compat,
    /// Trust in the publisher's keys.
    Trust,
    /// Ownership of the skill id, and the order of releases.
    Ownership,
    /// The bill of materials and the provenance.
    Sidecars,
}

impl VerifyStepName {
    /// Returns the name of the step in output.
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
    /// Returns the parsed manifest.
    #[must_use]
    pub fn manifest(&self) -> &SkillManifest {
        &self.manifest
    }

    /// Returns the archive that was verified.
    #[must_use]
    pub fn artifact(&self) -> &SkillArtifact {
        &self.artifact
    }

    /// Returns the digest of everything that is signed, which identifies the release.
    #[must_use]
    pub fn payload(&self) -> Sha256Digest {
        self.payload
    }

    /// Iterates over the modules, as path and bytes.
    pub fn modules(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.artifact.modules()
    }

    /// Returns the keys with valid signatures, sorted by key id.
    #[must_use]
    pub fn signers(&self) -> &[PublisherKey] {
        &self.signers
    }

    /// Returns the publisher's signed claims about the release.
    #[must_use]
    pub fn release(&self) -> &ReleasePredicate {
        &self.predicate
    }

    /// Returns the contents of the bill of materials.
    #[must_use]
    pub fn sbom(&self) -> &SbomSummary {
        &self.sbom
    }

    /// Returns how far the provenance statement is trusted.
    #[must_use]
    pub fn provenance(&self) -> &ProvenanceEvidence {
        &self.provenance
    }
}
