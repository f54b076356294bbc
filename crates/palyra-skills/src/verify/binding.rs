//! Checks the signatures and that they cover the bytes of the archive.

use std::sync::Arc;

use super::refusal::{RefusalReason, StatementMismatch};
use crate::artifact::{SkillArtifact, clip};
use crate::constants::{MANIFEST_PATH, SIGNATURE_PATH};
use crate::digest::Sha256Digest;
use crate::manifest::{SkillManifest, parse_manifest_toml};
use crate::signing::{KeySet, PublisherKey, ReleaseStatement, SignatureFile};
use crate::trust::SignedRotation;

/// The parsed signature file; no signature has been verified yet.
pub(super) struct Signed {
    pub(super) file: SignatureFile,
    pub(super) statement: ReleaseStatement,
    pub(super) keys: KeySet,
    pub(super) lineage: Vec<SignedRotation>,
}

pub(super) fn open_envelope(artifact: &SkillArtifact) -> Result<Signed, RefusalReason> {
    let file = SignatureFile::parse(artifact.entry(SIGNATURE_PATH).unwrap_or_default())?;
    let statement = ReleaseStatement::parse(&file.statement_bytes()?)?;
    let keys = statement.predicate.key_set()?;
    let verify = |envelope: &crate::signing::dsse::Envelope| SignedRotation::verify(envelope.clone());
    let lineage =
        file.lineage.iter().map(verify).collect::<Result<_, _>>().map_err(RefusalReason::Lineage)?;
    Ok(Signed { file, statement, keys, lineage })
}

pub(super) fn check_signatures(signed: &Signed) -> Result<Vec<PublisherKey>, RefusalReason> {
    let signers = proven_signers(signed)?;
    let (found, needed) = (signed.keys.count_signed(&signers), signed.keys.threshold());
    if found < needed {
        return Err(RefusalReason::OwnThreshold { found, needed });
    }
    Ok(signers)
}

/// Verifies the signatures and returns the signers; whether they reach the threshold is not checked.
fn proven_signers(signed: &Signed) -> Result<Vec<PublisherKey>, RefusalReason> {
    let signers = signed.file.envelope.verify(crate::signing::STATEMENT_PAYLOAD_TYPE, signed.keys.keys())?;
    match signers.first().map(PublisherKey::key_id) {
        Some(proven) if proven == signed.file.key_id => Ok(signers),
        proven => Err(RefusalReason::OuterKeyId { outer: signed.file.key_id, proven }),
    }
}

/// An artifact whose signatures are valid for its bytes but may be fewer than the threshold.
pub(crate) struct PartlySigned {
    pub(crate) artifact: SkillArtifact,
    pub(crate) file: SignatureFile,
    pub(crate) statement: Vec<u8>,
    pub(crate) manifest: SkillManifest,
    pub(crate) payload: Sha256Digest,
    pub(crate) keys: KeySet,
    pub(crate) signers: Vec<PublisherKey>,
}

impl PartlySigned {
    /// Checks everything about an artifact that does not depend on the number of signatures and on trust.
    pub(crate) fn read(bytes: Arc<[u8]>) -> Result<Self, RefusalReason> {
        let artifact = SkillArtifact::read(bytes)?;
        let signed = open_envelope(&artifact)?;
        let signers = proven_signers(&signed)?;
        let payload = check_statement(&artifact, &signed)?;
        let manifest = check_manifest(&artifact, &signed.statement)?;
        let statement = signed.file.statement_bytes()?;
        let Signed { file, keys, .. } = signed;
        Ok(Self { artifact, file, statement, manifest, payload, keys, signers })
    }
}

pub(super) fn check_statement(
    artifact: &SkillArtifact,
    signed: &Signed,
) -> Result<Sha256Digest, RefusalReason> {
    let payload = artifact.payload_digest();
    let expected =
        ReleaseStatement::new(payload, artifact.entry_digests(), signed.statement.predicate.clone());
    if let Some(mismatch) = StatementMismatch::between(&signed.statement.subject, &expected.subject) {
        return Err(RefusalReason::Statement(mismatch));
    }
    let lineage = SignatureFile::lineage_digest(&signed.file.lineage)
        .map_err(|problem| RefusalReason::Envelope(crate::signing::SignatureFileError::Json(problem)))?;
    let stated = &signed.statement.predicate;
    check_field("payload_sha256", &signed.file.payload_sha256, &payload)?;
    check_field("lineage_sha256", &show(stated.lineage_sha256), &show(lineage))?;
    Ok(payload)
}

pub(super) fn check_manifest(
    artifact: &SkillArtifact,
    statement: &ReleaseStatement,
) -> Result<SkillManifest, RefusalReason> {
    let bytes = artifact.entry(MANIFEST_PATH).unwrap_or_default();
    let text = std::str::from_utf8(bytes)
        .map_err(|error| RefusalReason::ManifestNotUtf8 { offset: error.valid_up_to() })?;
    let manifest = parse_manifest_toml(text).map_err(|error| RefusalReason::Manifest(Box::new(error)))?;
    let stated = &statement.predicate;
    check_field("skill_id", &stated.skill_id, &manifest.skill_id)?;
    check_field("publisher", &stated.publisher, &manifest.publisher)?;
    check_field("version", &stated.version, &manifest.version)?;
    check_field("release_counter", &stated.release_counter, &manifest.release_counter)?;
    check_field("manifest_sha256", &stated.manifest_sha256, &Sha256Digest::of(bytes))?;
    check_field(
        "capabilities_sha256",
        &stated.capabilities_sha256,
        &crate::grants::capability_digest(&manifest),
    )?;
    check_field("model_text_sha256", &stated.model_text_sha256, &crate::text::model_text_digest(&manifest))?;
    check_modules_exist(artifact, &manifest)?;
    Ok(manifest)
}

/// Checks that the archive has every module that an entrypoint names.
fn check_modules_exist(artifact: &SkillArtifact, manifest: &SkillManifest) -> Result<(), RefusalReason> {
    let tools = manifest.entrypoints.tools.iter().map(|tool| (&tool.id, &tool.module));
    let hooks = manifest.entrypoints.hooks.iter().map(|hook| (&hook.id, &hook.module));
    match tools.chain(hooks).find(|(_, module)| artifact.entry(module).is_none()) {
        Some((entrypoint, module)) => {
            Err(RefusalReason::MissingModule { entrypoint: entrypoint.clone(), module: module.clone() })
        }
        None => Ok(()),
    }
}

fn check_field<T: PartialEq + std::fmt::Display>(
    field: &'static str,
    stated: &T,
    actual: &T,
) -> Result<(), RefusalReason> {
    if stated == actual {
        return Ok(());
    }
    Err(RefusalReason::Statement(StatementMismatch::Field {
        field,
        stated: clip(&stated.to_string()),
        actual: clip(&actual.to_string()),
    }))
}

fn show(digest: Option<Sha256Digest>) -> String {
    digest.map_or_else(|| "none".into(), |digest| digest.to_string())
}
