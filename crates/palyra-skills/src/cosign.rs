//! Adding a signature to a package, so that the keys of one publisher can be on several machines.

use std::sync::Arc;

use crate::artifact::check_archive_length;
use crate::build::{BuildError, BuiltArtifact, assemble};
use crate::constants::SIGNATURE_PATH;
use crate::digest::Sha256Digest;
use crate::manifest::SkillManifest;
use crate::signing::dsse::{Envelope, EnvelopeSignature};
use crate::signing::{KeyId, PublisherKey, STATEMENT_PAYLOAD_TYPE};
use crate::verify::{PartlySigned, RefusalReason};

/// A package that more keys can sign. Its digests match its statement and every present signature is valid.
pub struct CosignedPackage(PartlySigned);

/// The reason why a signature was not added.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum CosignError {
    /// The file is not a valid package.
    #[error("cannot sign the package: {0}")]
    Package(Box<RefusalReason>),
    /// The key is not one of those that the package lists.
    #[error("key `{key}` is not one of the keys that the package lists for publisher `{publisher}`")]
    NotListed { key: KeyId, publisher: String },
    /// The key already signed the package.
    #[error("key `{0}` has already signed this package")]
    AlreadySigned(KeyId),
    /// The signature is invalid, or the archive could not be written.
    #[error(transparent)]
    Build(#[from] BuildError),
}

impl CosignError {
    /// Returns advice for the user, shown under the message.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Package(reason) => reason.hint(),
            Self::NotListed { .. } => {
                "list every key when the package is built: `palyra skills package build --publisher-key KEY`"
                    .into()
            }
            Self::AlreadySigned(_) => "sign with another key of the publisher".into(),
            Self::Build(error) => error.hint(),
        }
    }
}

impl CosignedPackage {
    /// Reads a package and performs every check that does not depend on the number of signatures.
    pub fn read(bytes: impl Into<Arc<[u8]>>) -> Result<Self, CosignError> {
        let bytes = bytes.into();
        let refused = |reason: RefusalReason| CosignError::Package(Box::new(reason));
        check_archive_length(bytes.len() as u64).map_err(|error| refused(error.into()))?;
        PartlySigned::read(bytes).map(Self).map_err(refused)
    }

    /// Returns the manifest of the package.
    #[must_use]
    pub fn manifest(&self) -> &SkillManifest {
        &self.0.manifest
    }

    /// Returns the payload digest, which covers every signed entry.
    #[must_use]
    pub fn payload(&self) -> Sha256Digest {
        self.0.payload
    }

    /// Returns the signed bytes, of the type [`STATEMENT_PAYLOAD_TYPE`].
    #[must_use]
    pub fn statement(&self) -> &[u8] {
        &self.0.statement
    }

    /// Checks that the publisher's key set contains a key; whether its secret half is available is not checked.
    pub fn check_signer(&self, key: &PublisherKey) -> Result<(), CosignError> {
        if !self.0.keys.contains(key) {
            let publisher = self.0.manifest.publisher.clone();
            return Err(CosignError::NotListed { key: key.key_id(), publisher });
        }
        if self.0.signers.contains(key) { Err(CosignError::AlreadySigned(key.key_id())) } else { Ok(()) }
    }

    /// Returns the package with further signatures.
    ///
    /// # Errors
    ///
    /// If one of the signatures is invalid.
    pub fn with_signatures(
        &self,
        signatures: impl IntoIterator<Item = EnvelopeSignature>,
    ) -> Result<BuiltArtifact, CosignError> {
        let PartlySigned { artifact, file, statement, manifest, payload, keys, .. } = &self.0;
        let all = file.envelope.signatures.iter().cloned().chain(signatures).collect();
        let envelope = Envelope::new(STATEMENT_PAYLOAD_TYPE, statement, all);
        let entries = artifact.entries().filter(|(path, _)| *path != SIGNATURE_PATH);
        Ok(assemble(entries, manifest, *payload, keys, envelope, file.lineage.clone())?)
    }
}
