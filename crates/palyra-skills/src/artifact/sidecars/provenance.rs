//! `provenance.json`: a statement about how the modules were built, and how far it is trusted.
//!
//! The file is an in-toto Statement with SLSA provenance v1. Bare, it is the packager's own claim. Inside a DSSE
//! envelope signed by a builder key the operator allows, it is evidence.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::SidecarError;
use crate::artifact::{EntryDigest, SkillArtifact, clip};
use crate::constants::{MANIFEST_PATH, MODULES_PREFIX, PROVENANCE_PATH};
use crate::digest::Sha256Digest;
use crate::manifest::SkillManifest;
use crate::signing::dsse::{Envelope, EnvelopeError};
use crate::signing::strict_json::{StrictJsonError, encode_canonical, parse_canonical, parse_value};
use crate::signing::{DigestSet, KeyId, STATEMENT_PAYLOAD_TYPE, STATEMENT_TYPE, SkillSigningKey, Subject};
use crate::trust::{RevocationTarget, SkillTrustStore};

/// The predicate type of SLSA provenance v1.
pub const PROVENANCE_PREDICATE: &str = "https://slsa.dev/provenance/v1";
/// The build type of a package made from finished modules.
pub const BUILD_TYPE: &str = "urn:palyra:skill-package:v1";
/// The builder id of a package that the publisher made without a separate builder.
pub const SELF_BUILDER_ID: &str = "urn:palyra:self-packaged";

/// How far a provenance statement is trusted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ProvenanceEvidence {
    /// No trusted builder signed the statement, so it counts as SLSA build level 1 at most, regardless of its claims.
    Claimed {
        /// The builder that the statement names.
        builder_id: String,
    },
    /// A builder that the operator allows signed the statement.
    Evidence {
        /// The builder that the statement names.
        builder_id: String,
        /// The operator's name for the builder.
        builder: String,
        /// The builder key that signed.
        key_id: KeyId,
        /// The SLSA build level that the operator trusts for that builder.
        level: u8,
    },
}

impl ProvenanceEvidence {
    /// Returns the highest SLSA build level that may be displayed.
    #[must_use]
    pub fn level_at_most(&self) -> u8 {
        match self {
            Self::Claimed { .. } => 1,
            Self::Evidence { level, .. } => *level,
        }
    }
}

impl std::fmt::Display for ProvenanceEvidence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Claimed { .. } => f.write_str("claimed")?,
            Self::Evidence { builder, .. } => write!(f, "signed by builder `{builder}`")?,
        }
        write!(f, ", at most SLSA level {}", self.level_at_most())
    }
}

/// The subjects of a provenance statement: paths of the manifest and the modules, with their digests.
pub type ProvenanceSubjects = BTreeMap<String, Sha256Digest>;

/// Encodes the packager's own, unsigned statement.
pub fn self_made_provenance(
    manifest: &SkillManifest,
    subjects: &ProvenanceSubjects,
) -> Result<Vec<u8>, StrictJsonError> {
    encode_canonical(&statement(manifest, subjects, SELF_BUILDER_ID))
}

/// Encodes a statement signed with a builder's key.
pub fn signed_provenance(
    manifest: &SkillManifest,
    subjects: &ProvenanceSubjects,
    builder_id: &str,
    builder_key: &SkillSigningKey,
) -> Result<Vec<u8>, StrictJsonError> {
    let payload = encode_canonical(&statement(manifest, subjects, builder_id))?;
    encode_canonical(&Envelope::sign(STATEMENT_PAYLOAD_TYPE, &payload, &[builder_key]))
}

/// Checks that the provenance of an archive covers its modules and manifest, and returns how far it is trusted.
///
/// # Errors
/// The file is malformed, its subjects differ from the entries, or the signature of an allowed builder is invalid.
pub fn check_provenance(
    artifact: &SkillArtifact,
    store: &SkillTrustStore,
) -> Result<ProvenanceEvidence, SidecarError> {
    let bytes = artifact.entry(PROVENANCE_PATH).unwrap_or_default();
    let outer = parse_value(bytes).map_err(form)?;
    let (statement, signed) = if outer.get("payloadType").is_some() {
        let envelope: Envelope = parse_canonical(bytes).map_err(form)?;
        let payload = envelope.open(STATEMENT_PAYLOAD_TYPE).map_err(SidecarError::BuilderSignature)?;
        (parse_value(&payload).map_err(form)?, Some(envelope))
    } else {
        (outer, None)
    };
    let builder_id = check_shape(&statement)?;
    let entries = artifact.entry_digests().iter().filter(|entry| is_subject(entry));
    super::compare_digests(PROVENANCE_PATH, read_subjects(&statement)?, entries)?;
    match signed {
        Some(envelope) => weigh_signatures(&envelope, store, builder_id),
        None => Ok(ProvenanceEvidence::Claimed { builder_id }),
    }
}

fn is_subject(entry: &EntryDigest) -> bool {
    entry.path == MANIFEST_PATH || entry.path.starts_with(MODULES_PREFIX)
}

/// Returns the subjects of a provenance statement for these entries: the manifest and the modules.
pub(crate) fn subjects_of<'a>(entries: impl IntoIterator<Item = &'a EntryDigest>) -> ProvenanceSubjects {
    let subjects = entries.into_iter().filter(|entry| is_subject(entry));
    subjects.map(|entry| (entry.path.clone(), entry.sha256)).collect()
}

/// The statement as the packager writes it. A struct, because the order of fields is part of the bytes.
#[derive(Serialize)]
struct Statement<'a> {
    #[serde(rename = "_type")]
    statement_type: &'a str,
    subject: Vec<Subject>,
    #[serde(rename = "predicateType")]
    predicate_type: &'a str,
    predicate: Predicate<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Predicate<'a> {
    build_definition: BuildDefinition<'a>,
    run_details: RunDetails<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BuildDefinition<'a> {
    build_type: &'a str,
    external_parameters: ExternalParameters<'a>,
}

#[derive(Serialize)]
struct ExternalParameters<'a> {
    skill_id: &'a str,
    version: String,
}

#[derive(Serialize)]
struct RunDetails<'a> {
    builder: Builder<'a>,
}

#[derive(Serialize)]
struct Builder<'a> {
    id: &'a str,
}

fn statement<'a>(
    manifest: &'a SkillManifest,
    subjects: &ProvenanceSubjects,
    builder_id: &'a str,
) -> Statement<'a> {
    let subject = |(name, sha256): (&String, &Sha256Digest)| Subject {
        name: name.clone(),
        digest: DigestSet { sha256: *sha256 },
    };
    let external_parameters =
        ExternalParameters { skill_id: &manifest.skill_id, version: manifest.version.to_string() };
    Statement {
        statement_type: STATEMENT_TYPE,
        subject: subjects.iter().map(subject).collect(),
        predicate_type: PROVENANCE_PREDICATE,
        predicate: Predicate {
            build_definition: BuildDefinition { build_type: BUILD_TYPE, external_parameters },
            run_details: RunDetails { builder: Builder { id: builder_id } },
        },
    }
}

/// Checks the fields that SLSA provenance v1 requires and returns the builder id.
fn check_shape(statement: &Value) -> Result<String, SidecarError> {
    for (field, expected) in [("_type", STATEMENT_TYPE), ("predicateType", PROVENANCE_PREDICATE)] {
        let found = statement.get(field).and_then(Value::as_str).unwrap_or_default();
        if found != expected {
            let message = format!("{field} is `{}`, expected `{expected}`", clip(found));
            return Err(SidecarError::ProvenanceForm(message));
        }
    }
    let text =
        |pointer: &str| statement.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    let missing = |pointer: &str| SidecarError::ProvenanceForm(format!("`{pointer}` is missing"));
    let build_type = "/predicate/buildDefinition/buildType";
    text(build_type).ok_or_else(|| missing(build_type))?;
    let parameters = "/predicate/buildDefinition/externalParameters";
    statement.pointer(parameters).filter(|value| value.is_object()).ok_or_else(|| missing(parameters))?;
    let builder_id = "/predicate/runDetails/builder/id";
    text(builder_id).map(clip).ok_or_else(|| missing(builder_id))
}

fn read_subjects(statement: &Value) -> Result<BTreeMap<&str, Sha256Digest>, SidecarError> {
    let malformed =
        || SidecarError::ProvenanceForm("a subject has no name or no sha256, or is a duplicate".into());
    let list = statement.get("subject").and_then(Value::as_array).ok_or_else(malformed)?;
    let mut subjects = BTreeMap::new();
    for subject in list {
        let name = subject.get("name").and_then(Value::as_str).ok_or_else(malformed)?;
        let digest = subject.pointer("/digest/sha256").and_then(Value::as_str).ok_or_else(malformed)?;
        let digest = digest.parse().map_err(|_| malformed())?;
        if subjects.insert(name, digest).is_some() {
            return Err(malformed());
        }
    }
    Ok(subjects)
}

/// Returns evidence if an allowed builder signed; an invalid signature by that builder is an error.
fn weigh_signatures(
    envelope: &Envelope,
    store: &SkillTrustStore,
    builder_id: String,
) -> Result<ProvenanceEvidence, SidecarError> {
    let usable = |key: KeyId| store.revoked(RevocationTarget::Key(key), "").is_none();
    let signed = |key: KeyId| envelope.signatures.iter().any(|signature| signature.keyid == key);
    let builder = store.builders().find(|builder| {
        let key = builder.key.key_id();
        signed(key) && usable(key)
    });
    let Some(builder) = builder else { return Ok(ProvenanceEvidence::Claimed { builder_id }) };
    let key_id = builder.key.key_id();
    let only = Envelope {
        signatures: envelope
            .signatures
            .iter()
            .filter(|signature| signature.keyid == key_id)
            .cloned()
            .collect(),
        ..envelope.clone()
    };
    let signers =
        only.verify(STATEMENT_PAYLOAD_TYPE, [&builder.key]).map_err(SidecarError::BuilderSignature)?;
    if signers != [builder.key] {
        return Err(SidecarError::BuilderSignature(EnvelopeError::BadSignature(key_id)));
    }
    Ok(ProvenanceEvidence::Evidence {
        builder_id,
        builder: builder.name.clone(),
        key_id,
        level: builder.level,
    })
}

fn form(error: StrictJsonError) -> SidecarError {
    SidecarError::ProvenanceForm(error.to_string())
}
