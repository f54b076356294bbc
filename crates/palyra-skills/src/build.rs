//! Corridor 1: manifest text, modules and assets become signed artifact bytes.
//!
//! Nothing but the request goes in: no clock, locale, path or random number, so the same inputs give the same
//! bytes on every machine.

use std::sync::Arc;

use crate::artifact::sidecars::{generate_sbom, self_made_provenance, subjects_of};
use crate::artifact::write::encode_archive;
use crate::artifact::{ArchiveError, EntryDigest, NameProblem, check_entry_path, payload_digest};
use crate::constants::{
    ASSETS_PREFIX, MANIFEST_PATH, MAX_LINEAGE, MODULES_PREFIX, PROVENANCE_PATH, SBOM_PATH, SIGNATURE_PATH,
};
use crate::digest::Sha256Digest;
use crate::manifest::{ManifestError, SkillManifest, parse_manifest_toml};
use crate::signing::dsse::Envelope;
use crate::signing::strict_json::{StrictJsonError, encode_canonical};
use crate::signing::{
    KeyId, KeySet, KeySetError, ListedKey, ReleasePredicate, ReleaseStatement, SIGNATURE_SCHEMA,
    STATEMENT_PAYLOAD_TYPE, SignatureFile, SkillSigningKey,
};
use crate::trust::SignedRotation;

/// Everything that goes into an artifact.
#[derive(Debug, Clone, Default)]
pub struct BuildRequest<'a> {
    /// The text of `skill.toml`.
    pub manifest_toml: &'a str,
    /// Modules: path, as in `modules/notes.wasm`, and bytes.
    pub modules: Vec<(&'a str, &'a [u8])>,
    /// Assets: path, as in `assets/icon.svg`, and bytes.
    pub assets: Vec<(&'a str, &'a [u8])>,
    /// The keys that sign.
    pub signers: Vec<&'a SkillSigningKey>,
    /// The publisher's keys and threshold, if they are more than those that sign.
    pub publisher_keys: Option<KeySet>,
    /// The epoch of those keys.
    pub publisher_epoch: u64,
    /// Rotations from earlier epochs, oldest first, for machines that only know the old keys.
    pub lineage: Vec<SignedRotation>,
    /// A provenance statement signed by a builder, in place of the packager's own.
    pub signed_provenance: Option<&'a [u8]>,
}

/// A finished artifact.
#[derive(Debug, Clone)]
pub struct BuiltArtifact {
    /// The bytes of the `.palyra-skill` file.
    pub bytes: Arc<[u8]>,
    /// Their SHA-256.
    pub archive_digest: Sha256Digest,
    /// The digest of everything that is signed.
    pub payload: Sha256Digest,
    /// The manifest that went in.
    pub manifest: SkillManifest,
    /// The keys that signed, sorted.
    pub key_ids: Vec<KeyId>,
}

/// Why an artifact was not built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The manifest.
    #[error(transparent)]
    Manifest(Box<ManifestError>),
    /// A path where it does not belong.
    #[error("`{path}` cannot be a {place}: {problem}")]
    Path {
        /// The path.
        path: String,
        /// `module` or `asset`.
        place: &'static str,
        /// What is wrong with it.
        problem: NameProblem,
    },
    /// An entrypoint without its module.
    #[error("entrypoint `{entrypoint}` names `{module}`, which was not given")]
    MissingModule {
        /// The entrypoint.
        entrypoint: String,
        /// The module it names.
        module: String,
    },
    /// The archive.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The keys and the threshold.
    #[error(transparent)]
    Keys(#[from] KeySetError),
    /// Too few of the publisher's keys sign.
    #[error("{found} of the publisher's keys sign, the threshold is {needed}")]
    Threshold {
        /// How many sign.
        found: u32,
        /// How many must.
        needed: u32,
    },
    /// A key signs that is not the publisher's.
    #[error("key `{0}` signs but is not one of the publisher's keys")]
    ForeignKey(KeyId),
    /// A lineage that does not lead here.
    #[error("the lineage has {count} statements and ends at epoch {ends}, the release is of epoch {epoch}")]
    Lineage {
        /// How many statements.
        count: usize,
        /// Where it ends.
        ends: u64,
        /// Where it must end.
        epoch: u64,
    },
    /// Something could not be written as JSON.
    #[error(transparent)]
    Json(#[from] StrictJsonError),
}

impl BuildError {
    /// What a person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Manifest(error) => {
                error.hint().unwrap_or_else(|| "correct skill.toml and build again".into())
            }
            Self::Path { problem, .. } => problem.hint().into(),
            Self::MissingModule { module, .. } => format!("build the module and put it at `{module}`"),
            Self::Archive(error) => error.hint(),
            Self::Keys(_) | Self::Threshold { .. } | Self::ForeignKey(_) => {
                "sign with the publisher's own keys, as many as its threshold".into()
            }
            Self::Lineage { .. } => {
                format!("give at most {MAX_LINEAGE} rotations, oldest first, up to this epoch")
            }
            Self::Json(_) => "this is a fault of the packager; please report it".into(),
        }
    }
}

/// Builds and signs an artifact.
pub fn build_signed_skill_artifact(request: &BuildRequest<'_>) -> Result<BuiltArtifact, BuildError> {
    let manifest =
        parse_manifest_toml(request.manifest_toml).map_err(|error| BuildError::Manifest(Box::new(error)))?;
    check_paths(request, &manifest)?;
    let keys = check_keys(request)?;
    check_lineage(request)?;

    let sbom = generate_sbom(&manifest, request.modules.iter().copied())?;
    let provenance = provenance(request, &manifest)?;
    let mut entries: Vec<(&str, &[u8])> = vec![
        (MANIFEST_PATH, request.manifest_toml.as_bytes()),
        (SBOM_PATH, &sbom),
        (PROVENANCE_PATH, &provenance),
    ];
    entries.extend(request.modules.iter().chain(&request.assets));
    entries.sort_unstable();

    let digests: Vec<EntryDigest> =
        entries.iter().map(|(path, bytes)| EntryDigest::of(path, bytes)).collect();
    let payload = payload_digest(&digests);
    let signature = sign(request, &manifest, &keys, payload, &digests)?;
    entries.push((SIGNATURE_PATH, &signature));
    let bytes: Arc<[u8]> = encode_archive(entries)?.into();
    Ok(BuiltArtifact {
        archive_digest: Sha256Digest::of(&bytes),
        bytes,
        payload,
        manifest,
        key_ids: signer_ids(request),
    })
}

/// In the order of the envelope.
fn signer_ids(request: &BuildRequest<'_>) -> Vec<KeyId> {
    let mut ids: Vec<KeyId> = request.signers.iter().map(|key| key.public().key_id()).collect();
    ids.sort_unstable();
    ids
}

fn check_paths(request: &BuildRequest<'_>, manifest: &SkillManifest) -> Result<(), BuildError> {
    let places = [("module", MODULES_PREFIX, &request.modules), ("asset", ASSETS_PREFIX, &request.assets)];
    for (place, prefix, files) in places {
        for (path, _) in files {
            let refuse = |problem| BuildError::Path { path: crate::artifact::clip(path), place, problem };
            check_entry_path(path.as_bytes()).map_err(refuse)?;
            if !path.starts_with(prefix) {
                return Err(refuse(NameProblem::NotAPlace));
            }
        }
    }
    let tools = manifest.entrypoints.tools.iter().map(|tool| (&tool.id, &tool.module));
    let hooks = manifest.entrypoints.hooks.iter().map(|hook| (&hook.id, &hook.module));
    let given = |module: &String| request.modules.iter().any(|(path, _)| path == module);
    match tools.chain(hooks).find(|(_, module)| !given(module)) {
        Some((id, module)) => {
            Err(BuildError::MissingModule { entrypoint: id.clone(), module: module.clone() })
        }
        None => Ok(()),
    }
}

fn check_keys(request: &BuildRequest<'_>) -> Result<KeySet, BuildError> {
    let signers: Vec<_> = request.signers.iter().map(|key| key.public()).collect();
    let Some(keys) = &request.publisher_keys else {
        let threshold = u32::try_from(signers.len()).unwrap_or(u32::MAX);
        return Ok(KeySet::new(signers, threshold)?);
    };
    if let Some(foreign) = signers.iter().find(|key| !keys.contains(key)) {
        return Err(BuildError::ForeignKey(foreign.key_id()));
    }
    let (found, needed) = (keys.count_signed(&signers), keys.threshold());
    if found < needed { Err(BuildError::Threshold { found, needed }) } else { Ok(keys.clone()) }
}

fn check_lineage(request: &BuildRequest<'_>) -> Result<(), BuildError> {
    let Some(last) = request.lineage.last() else { return Ok(()) };
    let (count, ends, epoch) = (request.lineage.len(), last.statement().to_epoch, request.publisher_epoch);
    if count > MAX_LINEAGE || ends != epoch {
        return Err(BuildError::Lineage { count, ends, epoch });
    }
    Ok(())
}

fn provenance(request: &BuildRequest<'_>, manifest: &SkillManifest) -> Result<Vec<u8>, BuildError> {
    if let Some(signed) = request.signed_provenance {
        return Ok(signed.to_vec());
    }
    let manifest_digest = EntryDigest::of(MANIFEST_PATH, request.manifest_toml.as_bytes());
    let modules = request.modules.iter().map(|(path, bytes)| EntryDigest::of(path, bytes));
    let about: Vec<EntryDigest> = modules.chain([manifest_digest]).collect();
    Ok(self_made_provenance(manifest, &subjects_of(&about))?)
}

fn sign(
    request: &BuildRequest<'_>,
    manifest: &SkillManifest,
    keys: &KeySet,
    payload: Sha256Digest,
    digests: &[EntryDigest],
) -> Result<Vec<u8>, BuildError> {
    let lineage: Vec<Envelope> = request.lineage.iter().map(|rotation| rotation.envelope().clone()).collect();
    let predicate = ReleasePredicate {
        skill_id: manifest.skill_id.clone(),
        publisher: manifest.publisher.clone(),
        version: manifest.version.clone(),
        release_counter: manifest.release_counter,
        publisher_epoch: request.publisher_epoch,
        keys: keys.keys().map(ListedKey::from).collect(),
        threshold: keys.threshold(),
        manifest_sha256: Sha256Digest::of(request.manifest_toml.as_bytes()),
        capabilities_sha256: crate::grants::capability_digest(manifest),
        model_text_sha256: crate::text::model_text_digest(manifest),
        lineage_sha256: SignatureFile::lineage_digest(&lineage)?,
    };
    let statement = ReleaseStatement::new(payload, digests, predicate);
    let envelope = Envelope::sign(STATEMENT_PAYLOAD_TYPE, &encode_canonical(&statement)?, &request.signers);
    let key_id = envelope.signatures.first().map(|signature| signature.keyid);
    let file = SignatureFile {
        schema: SIGNATURE_SCHEMA.into(),
        key_id: key_id.ok_or(KeySetError::Count(0))?,
        payload_sha256: payload,
        envelope,
        lineage,
    };
    Ok(file.encode()?)
}
