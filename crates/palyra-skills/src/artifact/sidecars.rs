//! The two sidecars that the packager writes, both bound to the modules: a bill of materials and a provenance
//! statement.

mod provenance;
mod sbom;
mod wasm_facts;

pub(crate) use provenance::subjects_of;
pub use provenance::{
    BUILD_TYPE, PROVENANCE_PREDICATE, ProvenanceEvidence, ProvenanceSubjects, SELF_BUILDER_ID,
    check_provenance, self_made_provenance, signed_provenance,
};
pub use sbom::{SbomDependency, SbomModule, SbomSummary, check_sbom, generate_sbom};
pub use wasm_facts::{CargoDependency, ModuleFacts, Producer, read_module_facts};

use std::collections::BTreeMap;

use super::EntryDigest;
use crate::constants::{PROVENANCE_PATH, SBOM_PATH};
use crate::digest::Sha256Digest;
use crate::signing::dsse::EnvelopeError;
use crate::signing::strict_json::StrictJsonError;

/// A mismatch between a sidecar and the modules of its archive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum SidecarError {
    /// The bill of materials is unreadable or not in the canonical form of CycloneDX 1.6.
    #[error("`{SBOM_PATH}` is not a CycloneDX 1.6 bill of materials in canonical form: {0}")]
    SbomForm(StrictJsonError),
    /// A field does not have the required value.
    #[error("{field} of `{SBOM_PATH}` is `{found}`, expected `{expected}`")]
    SbomField { field: &'static str, found: String, expected: String },
    /// The sidecar and the archive list different modules.
    #[error("`{sidecar}` and the archive have different modules: `{path}` is only in {only_in}")]
    Modules { sidecar: &'static str, path: String, only_in: &'static str },
    /// The sidecar states another digest for an entry.
    #[error("`{sidecar}` states sha256 `{stated}` for `{path}`, the archive has `{actual}`")]
    Digest {
        sidecar: &'static str,
        /// The path of a module or of the manifest.
        path: String,
        stated: Sha256Digest,
        actual: Sha256Digest,
    },
    /// The provenance is unreadable or lacks a required field.
    #[error("`{PROVENANCE_PATH}` is malformed: {0}")]
    ProvenanceForm(String),
    /// A trusted builder's signature on the provenance is invalid.
    #[error("`{PROVENANCE_PATH}`: {0}")]
    BuilderSignature(EnvelopeError),
}

impl SidecarError {
    /// Returns advice for the user, shown under the message.
    #[must_use]
    pub fn hint(&self) -> String {
        "ask the publisher to rebuild the skill with `palyra skills package build`, which writes both \
        sidecars from the modules"
            .into()
    }
}

/// Checks that the digests in a sidecar are exactly those of the entries.
fn compare_digests<'a>(
    sidecar: &'static str,
    mut listed: BTreeMap<&str, Sha256Digest>,
    entries: impl Iterator<Item = &'a EntryDigest>,
) -> Result<(), SidecarError> {
    for entry in entries {
        match listed.remove(entry.path.as_str()) {
            Some(stated) if stated == entry.sha256 => {}
            Some(stated) => {
                let (path, actual) = (entry.path.clone(), entry.sha256);
                return Err(SidecarError::Digest { sidecar, path, stated, actual });
            }
            None => {
                return Err(SidecarError::Modules {
                    sidecar,
                    path: entry.path.clone(),
                    only_in: "the archive",
                });
            }
        }
    }
    match listed.into_keys().next() {
        Some(path) => Err(SidecarError::Modules { sidecar, path: super::clip(path), only_in: "the sidecar" }),
        None => Ok(()),
    }
}
