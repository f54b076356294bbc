//! Uploaded packages: size limit, media type, and reports about packages that are not installed.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::skills::{TrustDecision, VerifyStep};

/// Longest package that is read.
pub const MAX_PACKAGE_BYTES: usize = 128 << 20;
/// The media type of a `.palyra-skill` file.
pub const PACKAGE_TYPE: &str = "application/vnd.palyra.skill";

/// What is permitted with a verification.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct PackageQuery {
    /// Whether an unknown publisher is accepted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_tofu: bool,
}

/// Response of `POST /v1/packages/verify`: every byte and every signature holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PackageVerified {
    /// The skill.
    pub skill_id: String,
    /// Its version.
    pub version: String,
    /// The claimed publisher.
    pub publisher: String,
    /// The release.
    pub payload: String,
    /// The digest of the archive.
    pub sha256: String,
    /// The keys that signed it.
    pub signers: Vec<String>,
    /// Trust state of its publisher.
    pub trust: TrustDecision,
    /// Each step, in order.
    pub steps: Vec<VerifyStep>,
}
