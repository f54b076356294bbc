//! The build pipeline: manifest text, modules and assets become signed artifact bytes.
//!
//! The request is the only input (no clock, locale, path or random number), so equal requests give equal bytes on every
//! machine.

use std::borrow::Cow;
use std::sync::Arc;

use crate::artifact::sidecars::{generate_sbom, self_made_provenance, subjects_of};
use crate::artifact::write::encode_archive;
use crate::artifact::{ArchiveError, EntryDigest, NameProblem, check_entry_path, payload_digest};
use crate::constants::{
    ASSETS_PREFIX, MANIFEST_PATH, MAX_LINEAGE, MODULES_PREFIX, PROVENANCE_PATH, SBOM_PATH, SIGNATURE_PATH,
};
use crate::digest::Sha256Digest;
use crate::manifest::{ManifestError, SkillManifest, parse_manifest_toml};
use crate::signing::dsse::{Envelope, EnvelopeError, EnvelopeSignature};
use crate::signing::strict_json::{StrictJsonError, encode_canonical};
use crate::signing::{
    KeyId, KeySet, KeySetError, ListedKey, PublisherKey, ReleasePredicate, ReleaseStatement,
    SIGNATURE_SCHEMA, STATEMENT_PAYLOAD_TYPE, SignatureFile, SkillSigningKey,
};
use crate::trust::{LineageProblem, SignedRotation, check_lineage};

/// The inputs of an artifact.
#[derive(Debug, Clone, Default)]
pub struct BuildRequest<'a> {
    /// The text of `skill.toml`, stored unchanged.
    pub manifest_toml: &'a str,
    /// The modules: path, for example `modules/notes.wasm`, and bytes.
    pub modules: Vec<(&'a str, &'a [u8])>,
    /// The assets: path, for example `assets/icon.svg`, and bytes.
    pub assets: Vec<(&'a str, &'a [u8])>,
    /// The keys that sign. Ignored by [`pack_skill_artifact`].
    pub signers: Vec<&'a SkillSigningKey>,
    /// The publisher's keys and threshold. If `None`, the signers are all of them and each must sign.
    pub publisher_keys: Option<KeySet>,
    /// The epoch of the publisher's keys.
    pub publisher_epoch: u64,
    /// Rotations from earlier epochs, oldest first, for machines that know only the old keys. At most [`MAX_LINEAGE`].
    pub lineage: Vec<SignedRotation>,
    /// A provenance statement signed by a builder, which replaces the packager's own.
    pub signed_provenance: Option<&'a [u8]>,
}

/// A built artifact, with the facts that a publisher needs after the build.
#[derive(Debug, Clone)]
pub struct BuiltArtifact {
    /// The bytes of the `.palyra-skill` file.
    pub bytes: Arc<[u8]>,
    /// The SHA-256 of `bytes`.
    pub archive_digest: Sha256Digest,
    /// The digest of everything that the signatures cover.
    pub payload: Sha256Digest,
    /// The parsed manifest.
    pub manifest: SkillManifest,
    /// The keys that signed, sorted.
    pub key_ids: Vec<KeyId>,
    /// Number of signatures below the threshold; if not 0, verification refuses the package.
    pub missing_signatures: u32,
}

/// A release that is complete except for its signatures.
///
/// Keys of other processes or machines sign [`PackedRelease::statement`].
pub struct PackedRelease<'a> {
    manifest: SkillManifest,
    payload: Sha256Digest,
    entries: Vec<(&'a str, Cow<'a, [u8]>)>,
    keys: KeySet,
    statement: Vec<u8>,
    lineage: Vec<Envelope>,
}

/// The reason why an artifact was not built.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum BuildError {
    /// The manifest is invalid.
    #[error(transparent)]
    Manifest(Box<ManifestError>),
    /// A path is invalid, or not under the prefix of its kind.
    #[error("`{path}` cannot be a {place}: {problem}")]
    Path {
        path: String,
        /// `module` or `asset`.
        place: &'static str,
        /// The rule that the path violates.
        problem: NameProblem,
    },
    /// An entrypoint names a module that the request does not contain.
    #[error("entrypoint `{entrypoint}` refers to `{module}`, which is missing")]
    MissingModule { entrypoint: String, module: String },
    /// The archive could not be encoded.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The keys and threshold are not a valid key set.
    #[error(transparent)]
    Keys(#[from] KeySetError),
    /// Fewer keys sign than the threshold requires.
    #[error("{found} of the publisher's keys signed, the threshold is {needed}")]
    Threshold {
        found: u32,
        /// Number of keys that must sign.
        needed: u32,
    },
    /// A signing key is not one of the publisher's keys.
    #[error("key `{0}` signed but is not one of the publisher's keys")]
    ForeignKey(KeyId),
    /// The request has more rotation statements than a package carries.
    #[error("the lineage has {0} statements, the limit is {MAX_LINEAGE}")]
    LineageTooLong(usize),
    /// The lineage does not lead to the publisher's keys.
    #[error("invalid lineage: {0}")]
    Lineage(#[from] LineageProblem),
    /// A signature is not one of this release.
    #[error(transparent)]
    Signature(#[from] EnvelopeError),
    /// A sidecar or statement could not be encoded as JSON.
    #[error(transparent)]
    Json(#[from] StrictJsonError),
}

impl BuildError {
    /// Returns advice for the user, shown under the message.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Manifest(error) => error.hint().unwrap_or_else(|| format!("write {}", error.expected())),
            Self::Path { problem, .. } => problem.hint().into(),
            Self::MissingModule { module, .. } => format!("build the module and save it as `{module}`"),
            Self::Archive(error) => error.hint(),
            Self::Keys(_) | Self::Threshold { .. } | Self::ForeignKey(_) => {
                "sign with as many of the publisher's keys as its threshold".into()
            }
            Self::LineageTooLong(_) => "omit the oldest rotation statements".into(),
            Self::Lineage(_) => {
                "pass every rotation statement of the publisher with `--succession FILE`".into()
            }
            Self::Signature(_) => "sign the statement of this release".into(),
            Self::Json(_) => "this is a bug in the packager; please report it".into(),
        }
    }
}

/// Builds an artifact and signs it with `request.signers`.
///
/// # Errors
///
/// [`BuildError::Threshold`] if there are fewer signers than the publisher's threshold, and the errors of
/// [`pack_skill_artifact`].
pub fn build_signed_skill_artifact(request: &BuildRequest<'_>) -> Result<BuiltArtifact, BuildError> {
    let signers: Vec<PublisherKey> = request.signers.iter().map(|key| key.public()).collect();
    let packed = pack_skill_artifact(request, &signers)?;
    let (found, needed) = (packed.keys.count_signed(&signers), packed.keys.threshold());
    if found < needed {
        return Err(BuildError::Threshold { found, needed });
    }
    let sign =
        |key: &&SkillSigningKey| EnvelopeSignature::sign(STATEMENT_PAYLOAD_TYPE, packed.statement(), key);
    packed.finish(request.signers.iter().map(sign).collect())
}

/// Packs an artifact that `signers` will sign. `request.signers` is ignored.
///
/// # Errors
///
/// If the manifest, a path, the keys or the lineage are invalid.
pub fn pack_skill_artifact<'a>(
    request: &BuildRequest<'a>,
    signers: &[PublisherKey],
) -> Result<PackedRelease<'a>, BuildError> {
    let manifest =
        parse_manifest_toml(request.manifest_toml).map_err(|error| BuildError::Manifest(Box::new(error)))?;
    check_paths(request, &manifest)?;
    let keys = check_keys(request, signers)?;
    check_succession(request, &manifest, &keys)?;

    let sbom = generate_sbom(&manifest, request.modules.iter().copied())?;
    let provenance = provenance(request, &manifest)?;
    let mut entries: Vec<(&str, Cow<'_, [u8]>)> = vec![
        (MANIFEST_PATH, request.manifest_toml.as_bytes().into()),
        (SBOM_PATH, sbom.into()),
        (PROVENANCE_PATH, provenance.into()),
    ];
    let files = request.modules.iter().chain(&request.assets);
    entries.extend(files.map(|(path, bytes)| (*path, Cow::Borrowed(*bytes))));
    entries.sort_unstable();

    let digests: Vec<EntryDigest> =
        entries.iter().map(|(path, bytes)| EntryDigest::of(path, bytes)).collect();
    let payload = payload_digest(&digests);
    let lineage: Vec<Envelope> = request.lineage.iter().map(|rotation| rotation.envelope().clone()).collect();
    let predicate = predicate(request, &manifest, &keys, &lineage)?;
    let statement = encode_canonical(&ReleaseStatement::new(payload, &digests, predicate))?;
    Ok(PackedRelease { manifest, payload, entries, keys, statement, lineage })
}

impl PackedRelease<'_> {
    /// Returns the bytes to sign, with payload type [`STATEMENT_PAYLOAD_TYPE`].
    #[must_use]
    pub fn statement(&self) -> &[u8] {
        &self.statement
    }

    /// Adds the signatures. There may be fewer than the threshold, but each must be valid.
    pub fn finish(&self, signatures: Vec<EnvelopeSignature>) -> Result<BuiltArtifact, BuildError> {
        let envelope = Envelope::new(STATEMENT_PAYLOAD_TYPE, &self.statement, signatures);
        let entries = self.entries.iter().map(|(path, bytes)| (*path, bytes.as_ref()));
        assemble(entries, &self.manifest, self.payload, &self.keys, envelope, self.lineage.clone())
    }
}

/// Verifies every signature and writes the archive.
pub(crate) fn assemble<'a>(
    entries: impl IntoIterator<Item = (&'a str, &'a [u8])>,
    manifest: &SkillManifest,
    payload: Sha256Digest,
    keys: &KeySet,
    envelope: Envelope,
    lineage: Vec<Envelope>,
) -> Result<BuiltArtifact, BuildError> {
    let signers = envelope.verify(STATEMENT_PAYLOAD_TYPE, keys.keys())?;
    let key_ids: Vec<KeyId> = signers.iter().map(PublisherKey::key_id).collect();
    let key_id = *key_ids.first().ok_or(KeySetError::Count(0))?;
    let file =
        SignatureFile { schema: SIGNATURE_SCHEMA.into(), key_id, payload_sha256: payload, envelope, lineage };
    let signature = file.encode()?;
    let mut entries: Vec<(&str, &[u8])> = entries.into_iter().collect();
    entries.push((SIGNATURE_PATH, &signature));
    let bytes: Arc<[u8]> = encode_archive(entries)?.into();
    Ok(BuiltArtifact {
        archive_digest: Sha256Digest::of(&bytes),
        bytes,
        payload,
        manifest: manifest.clone(),
        key_ids,
        missing_signatures: keys.threshold().saturating_sub(keys.count_signed(&signers)),
    })
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

fn check_keys(request: &BuildRequest<'_>, signers: &[PublisherKey]) -> Result<KeySet, BuildError> {
    let Some(keys) = &request.publisher_keys else {
        let threshold = u32::try_from(signers.len()).unwrap_or(u32::MAX);
        return Ok(KeySet::new(signers.iter().copied(), threshold)?);
    };
    match signers.iter().find(|key| !keys.contains(key)) {
        Some(foreign) => Err(BuildError::ForeignKey(foreign.key_id())),
        None => Ok(keys.clone()),
    }
}

fn check_succession(
    request: &BuildRequest<'_>,
    manifest: &SkillManifest,
    keys: &KeySet,
) -> Result<(), BuildError> {
    if request.lineage.len() > MAX_LINEAGE {
        return Err(BuildError::LineageTooLong(request.lineage.len()));
    }
    Ok(check_lineage(&manifest.publisher, &request.lineage, keys, request.publisher_epoch)?)
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

fn predicate(
    request: &BuildRequest<'_>,
    manifest: &SkillManifest,
    keys: &KeySet,
    lineage: &[Envelope],
) -> Result<ReleasePredicate, BuildError> {
    Ok(ReleasePredicate {
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
        lineage_sha256: SignatureFile::lineage_digest(lineage)?,
    })
}
