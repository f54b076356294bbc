//! Result of an installation, or of a repeated check of a stored release.

pub use palyra_common::model::skills::{KeyOrigin, Placement};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::{
    AuditReport, CompiledCode, ConsentRequest, Eligibility, InstallStep, InstalledRelease, Permission,
    SkillRecord, SkillStatus, TrustState, UpdateDiff,
};

/// What is permitted with an installation; the default permits nothing.
///
/// Whatever is set here besides `update` needs the scope `admin` too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct InstallQuery {
    /// Whether the keys of an unknown publisher may be pinned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_tofu: bool,
    /// The digest of the approved permissions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(nullable = false, pattern = "^[0-9a-f]{64}$")]
    pub consent: Option<String>,
    /// Secrets granted individually, for example `global/token`, separated by commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(nullable = false)]
    pub secrets: Option<String>,
    /// Accepted findings of this release, by rule id, separated by commas.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(nullable = false)]
    pub accept: Option<String>,
    /// Whether the skill must already be installed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub update: bool,
}

impl InstallQuery {
    /// Returns whether the query permits anything that is denied by default.
    pub fn widens(&self) -> bool {
        self.allow_tofu || self.consent.is_some() || self.secrets.is_some() || self.accept.is_some()
    }
}

/// Result of an installation, an update, or a repeated check of a stored release.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InstallOutcome {
    /// Permissions that need consent, if any.
    #[serde(default)]
    pub consent_digest: Option<String>,
    /// Placement of the release.
    pub placement: Placement,
    /// The state of the release.
    pub status: SkillStatus,
    /// Trust state.
    pub trust: TrustState,
    /// Trust decision; `null` if an installed release is no longer trusted.
    pub decision: Option<TrustDecision>,
    /// The release.
    pub payload: String,
    /// Its stored object.
    pub archive: String,
    /// The keys that signed it.
    pub signers: Vec<String>,
    /// Permissions as text.
    pub permissions: Vec<Permission>,
    /// Requested secrets that need individual consent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// Audit result; `null` if verification failed before it.
    pub audit: Option<AuditReport>,
    /// Differences from the running release.
    pub diff: Option<UpdateDiff>,
    /// Permissions that still need consent.
    pub consent_request: Option<ConsentRequest>,
    /// Requested grants that are not in effect.
    pub withheld: Vec<Withheld>,
    /// Whether it fits the machine.
    pub eligibility: Eligibility,
    /// Each step that passed, in order.
    pub steps: Vec<InstallStep>,
    /// The new record of the skill.
    pub record: SkillRecord,
    /// The stored consent.
    #[serde(default, with = "palyra_common::json::in_order::optional")]
    #[schema(value_type = Option<Object>)]
    pub new_consent: Option<Value>,
    /// The new trust record of the publisher.
    #[serde(default, with = "palyra_common::json::in_order::optional")]
    #[schema(value_type = Option<Object>)]
    pub trust_change: Option<Value>,
    /// Whether the package was verified and stored.
    pub stores_bytes: bool,
    /// The recorded event.
    #[serde(with = "palyra_common::json::in_order::list")]
    #[schema(value_type = Vec<Object>)]
    pub events: Vec<Value>,
    /// That its code is compiled in the background; none where nothing is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code: Option<CompiledCode>,
}

impl InstallOutcome {
    /// Returns the release that the outcome is about.
    pub fn release(&self) -> Option<&InstalledRelease> {
        let mut all = std::iter::once(&self.record.current).chain(self.record.waiting.as_deref());
        all.find(|release| release.payload == self.payload)
    }
}

/// A requested grant that is not in effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Withheld {
    /// The grant, in the form of `--grant`.
    pub grant: String,
    /// Why it is denied, and what would allow it.
    pub reason: String,
    /// The secret, for example `global/token`; consent can grant it later by this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// Trust state of the publisher of a valid package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TrustDecision {
    /// Built into the daemon's program, independent of publisher keys.
    BuiltIn,
    /// Signed by allowlisted keys.
    Allowlisted,
    /// Signed by pinned keys.
    Pinned,
    /// Signed by keys that a rotation introduced.
    Lineage {
        /// Origin of trust in the first keys.
        origin: KeyOrigin,
        /// The previous epoch.
        from_epoch: Option<u64>,
        /// The new epoch.
        to_epoch: u64,
    },
    /// Unknown publisher; its keys can be pinned.
    TofuOffer {
        /// The publisher's keys as the release lists them.
        keys: KeySet,
        /// Their epoch.
        epoch: u64,
    },
    /// Unknown publisher, and pinning was not allowed.
    Unknown {
        /// The publisher's keys as the release lists them.
        keys: KeySet,
    },
}

/// The keys of a publisher, and how many of them must sign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeySet {
    /// The public keys.
    pub keys: Vec<String>,
    /// Number of keys that must sign.
    pub threshold: u32,
}

/// Response of `GET /v1/skills/{skill_id}/consent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ConsentAsked {
    /// The digest for consent.
    pub digest: String,
    /// Whether it cannot run without it.
    pub needed: bool,
    /// The release to decide about.
    pub outcome: InstallOutcome,
}
