//! What comes of an installation, and of a stored release that walks the same way again.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use super::{
    AuditReport, ConsentRequest, Eligibility, InstallStep, InstalledRelease, Permission, SkillRecord,
    SkillStatus, TrustState, UpdateDiff,
};

/// What is permitted with an installation; the default permits nothing.
///
/// Whatever is set here besides `update` needs the scope `admin` too.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct InstallQuery {
    /// Whether the keys of a publisher that was never seen may be pinned.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_tofu: bool,
    /// The digest a person agreed to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(nullable = false, pattern = "^[0-9a-f]{64}$")]
    pub consent: Option<String>,
    /// Secrets agreed to one by one, as in `global/token`, with commas between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(nullable = false)]
    pub secrets: Option<String>,
    /// Findings that are accepted for this release, by the names of their rules, with commas between.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[param(nullable = false)]
    pub accept: Option<String>,
    /// Whether the skill has to be installed already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub update: bool,
}

impl InstallQuery {
    /// Whether anything is permitted that is not by default.
    pub fn widens(&self) -> bool {
        self.allow_tofu || self.consent.is_some() || self.secrets.is_some() || self.accept.is_some()
    }
}

/// What came of an installation, of an update, or of a stored release that walked the same way again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct InstallOutcome {
    /// What to agree to, if somebody still has to.
    #[serde(default)]
    pub consent_digest: Option<String>,
    /// Where the release went.
    pub placement: Placement,
    /// The state of the release.
    pub status: SkillStatus,
    /// How far it is believed.
    pub trust: TrustState,
    /// What the trust step said; none if an installed release is no longer believed.
    pub decision: Option<TrustDecision>,
    /// The release.
    pub payload: String,
    /// Its stored object.
    pub archive: String,
    /// The keys that signed it.
    pub signers: Vec<String>,
    /// What it may do, in words.
    pub permissions: Vec<Permission>,
    /// Secrets it asks for and gets only if each is agreed to by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
    /// What the audit said; none if verification ended before it.
    pub audit: Option<AuditReport>,
    /// What changes from the release that runs.
    pub diff: Option<UpdateDiff>,
    /// What a person must still agree to.
    pub consent_request: Option<ConsentRequest>,
    /// Grants that stay closed.
    pub withheld: Vec<Withheld>,
    /// Whether it fits the machine.
    pub eligibility: Eligibility,
    /// Each step that passed, in order.
    pub steps: Vec<InstallStep>,
    /// The record of the skill from now on.
    pub record: SkillRecord,
    /// The consent that is kept from now on.
    #[serde(default, with = "palyra_common::json::in_order::optional")]
    #[schema(value_type = Option<Object>)]
    pub new_consent: Option<Value>,
    /// What is remembered about the publisher from now on.
    #[serde(default, with = "palyra_common::json::in_order::optional")]
    #[schema(value_type = Option<Object>)]
    pub trust_change: Option<Value>,
    /// Whether the bytes were proven and are kept.
    pub stores_bytes: bool,
    /// What the journal was told.
    #[serde(with = "palyra_common::json::in_order::list")]
    #[schema(value_type = Vec<Object>)]
    pub events: Vec<Value>,
}

impl InstallOutcome {
    /// The release it is about.
    pub fn release(&self) -> Option<&InstalledRelease> {
        let mut all = std::iter::once(&self.record.current).chain(self.record.waiting.as_deref());
        all.find(|release| release.payload == self.payload)
    }
}

/// Where a release went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// It is the skill's current release.
    Current,
    /// It waits beside the current one, which runs on.
    Waiting,
}

/// A grant that is asked for and stays closed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Withheld {
    /// The grant, as `--grant` writes it.
    pub grant: String,
    /// Why it is closed, and what would open it.
    pub reason: String,
    /// The secret it is about, as in `global/token`; consent can still grant it by this name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

/// How far the publisher of a sound package is believed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TrustDecision {
    /// Compiled into the daemon's program; its publisher's keys do not matter.
    BuiltIn,
    /// Signed by keys an operator named.
    Allowlisted,
    /// Signed by the keys pinned at first contact.
    Pinned,
    /// Signed by new keys that the believed ones handed over to.
    Lineage {
        /// How the first keys came to be believed.
        origin: KeyOrigin,
        /// The epoch believed before.
        from_epoch: Option<u64>,
        /// The epoch from now on.
        to_epoch: u64,
    },
    /// Never seen; pinning was permitted, and these keys can be pinned.
    TofuOffer {
        /// The publisher's keys as the release lists them.
        keys: KeySet,
        /// Their epoch.
        epoch: u64,
    },
    /// Never seen, and pinning was not permitted.
    Unknown {
        /// The publisher's keys as the release lists them.
        keys: KeySet,
    },
}

/// How keys came to be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum KeyOrigin {
    /// An operator named them.
    Allowlisted,
    /// They came with the first skill.
    TofuPinned,
}

/// The keys of a publisher, and how many of them must sign.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeySet {
    /// The public keys.
    pub keys: Vec<String>,
    /// How many must sign.
    pub threshold: u32,
}

/// The answer of `GET /v1/skills/{skill_id}/consent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ConsentAsked {
    /// The digest to agree to.
    pub digest: String,
    /// Whether it cannot run until somebody does.
    pub needed: bool,
    /// The release somebody decides about, as it stands now.
    pub outcome: InstallOutcome,
}
