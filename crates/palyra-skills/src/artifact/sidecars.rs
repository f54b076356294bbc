//! The two sidecars the packager writes: a bill of materials and a provenance statement, bound to the modules.

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

/// Why a sidecar is not about these modules.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum SidecarError {
    /// The bill of materials cannot be read, or is not CycloneDX 1.6 as we write it.
    #[error("`{SBOM_PATH}` is not a CycloneDX 1.6 bill of materials in canonical form: {0}")]
    SbomForm(StrictJsonError),
    /// A field with another value than it can have.
    #[error("{field} of `{SBOM_PATH}` is `{found}`, expected `{expected}`")]
    SbomField { field: &'static str, found: String, expected: String },
    /// A module that is listed but not there, or there but not listed.
    #[error("`{sidecar}` and the archive have different modules: `{path}` is only in {only_in}")]
    Modules { sidecar: &'static str, path: String, only_in: &'static str },
    /// The digest of a module is another.
    #[error("`{sidecar}` states sha256 `{stated}` for `{path}`, the archive has `{actual}`")]
    Digest {
        sidecar: &'static str,
        /// The module, or the manifest.
        path: String,
        stated: Sha256Digest,
        actual: Sha256Digest,
    },
    /// The provenance cannot be read.
    #[error("`{PROVENANCE_PATH}` is malformed: {0}")]
    ProvenanceForm(String),
    /// The provenance is signed by a builder known here, and the signature does not hold.
    #[error("`{PROVENANCE_PATH}`: {0}")]
    BuilderSignature(EnvelopeError),
}

impl SidecarError {
    /// What a person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        "ask the publisher to rebuild the skill with `palyra skills package build`, which writes both \
        sidecars from the modules"
            .into()
    }
}

/// The digests a sidecar lists are exactly those of the entries.
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
