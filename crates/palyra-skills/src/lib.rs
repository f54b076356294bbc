//! Skills: manifest, signed archive, trust, audit, consent, index and the install pipeline.

#![forbid(unsafe_code)]

pub mod artifact;
pub mod audit;
mod build;
pub mod compat;
pub mod consent;
pub mod constants;
mod cosign;
pub mod describe;
pub mod digest;
pub mod grants;
pub mod index;
pub mod install;
pub mod manifest;
pub mod signing;
pub mod text;
pub mod trust;
pub mod update;
pub mod verify;

pub use artifact::SkillArtifact;
pub use audit::{AuditPolicy, AuditReport, InstalledTools, audit_skill_artifact_security};
pub use build::{
    BuildError, BuildRequest, BuiltArtifact, PackedRelease, build_signed_skill_artifact, pack_skill_artifact,
};
pub use compat::Platform;
pub use consent::{ConsentGiven, ConsentIndex, ConsentRecord, ConsentRequest};
pub use cosign::{CosignError, CosignedPackage};
pub use describe::{DescribeDifference, DescribeProblem, Description};
pub use digest::Sha256Digest;
pub use grants::{capability_digest, capability_grants_from_manifest, narrowed_grants_of_tool};
pub use index::{InstalledSkillsIndex, RuntimeStatus, SkillInventoryEntry, SkillRecord, TrustState};
pub use install::{
    InstallContext, InstallDecision, InstallOutcome, InstallPlan, InstallRefusal, InstallRequest,
    plan_install,
};
pub use manifest::{ManifestError, SkillManifest, manifest_problems, parse_manifest_toml};
pub use text::{model_text_digest, model_visible_text};
pub use trust::{SkillTrustStore, TrustChange, TrustDecision, TrustSnapshot};
pub use update::UpdateDiff;
pub use verify::{
    Verification, VerifiedSkill, VerifyRefusal, reverify_installed_artifact, verify_skill_artifact,
};
