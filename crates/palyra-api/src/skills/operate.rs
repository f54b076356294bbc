//! What an operator does with an installed skill.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{SkillStatus, VerifyStep};

/// The body of `POST /v1/skills/{skill_id}/quarantine`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuarantineBody {
    /// Why, for the journal and for those who look at it later.
    pub reason: String,
}

/// The body of `POST /v1/skills/{skill_id}/disable`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DisableBody {
    /// Why, for the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The body of `POST /v1/skills/{skill_id}/enable`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EnableBody {
    /// Findings that are accepted, by the names of their rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<String>,
}

/// The body of `POST /v1/skills/{skill_id}/consent`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConsentBody {
    /// The digest that was shown to the person who agrees.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub digest: String,
    /// Secrets agreed to one by one, as in `global/token`; a publisher that is only pinned gets no other.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
}

/// The body of `POST /v1/skills/{skill_id}/rollback`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollbackBody {
    /// The version to go back to; without it the last one that ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// What stays when a skill goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct RemoveQuery {
    /// Whether what it stored is left, for when it comes back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_data: bool,
}

/// A skill whose state was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillChanged {
    /// The skill.
    pub skill_id: String,
    /// Its version.
    pub version: Option<String>,
    /// Whether it can be called now.
    pub runtime_status: Option<SkillStatus>,
    /// Why, if somebody said.
    pub reason: Option<String>,
}

/// The answer of `DELETE /v1/skills/{skill_id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RemovedSkill {
    /// The skill.
    pub skill_id: String,
    /// The version that ran.
    pub version: String,
    /// Who keeps the id.
    pub publisher: String,
    /// How many stored keys are gone; none when they were to be kept.
    pub forgotten_keys: Option<u64>,
}

/// The answer of `POST /v1/skills/{skill_id}/prepare`: its modules are compiled and describe what the manifest says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillPrepared {
    /// The skill.
    pub skill_id: String,
}

/// The answer of `POST /v1/skills/{skill_id}/verify`: the stored bytes are the ones that were installed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillVerified {
    /// The skill.
    pub skill_id: String,
    /// Its version.
    pub version: String,
    /// The release.
    pub payload: String,
    /// The digest of the archive.
    pub sha256: String,
    /// The keys that signed it.
    pub signers: Vec<String>,
    /// Each step, in order.
    pub steps: Vec<VerifyStep>,
}
