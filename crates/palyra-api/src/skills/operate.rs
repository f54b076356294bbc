//! Operations on an installed skill.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{SkillStatus, VerifyStep};

/// Request body of `POST /v1/skills/{skill_id}/quarantine`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuarantineBody {
    /// Reason, recorded in the journal.
    pub reason: String,
}

/// Request body of `POST /v1/skills/{skill_id}/disable`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DisableBody {
    /// Reason, recorded in the journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Request body of `POST /v1/skills/{skill_id}/enable`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EnableBody {
    /// Accepted findings, by rule id.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accept: Vec<String>,
}

/// Request body of `POST /v1/skills/{skill_id}/consent`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConsentBody {
    /// The consent digest that was shown.
    #[schema(pattern = "^[0-9a-f]{64}$")]
    pub digest: String,
    /// Secrets granted individually, for example `global/token`; a pinned publisher gets no others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
}

/// Request body of `POST /v1/skills/{skill_id}/rollback`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RollbackBody {
    /// The version to roll back to [default: the last one that ran].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// What stays when a skill goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub struct RemoveQuery {
    /// Whether its stored data is kept.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keep_data: bool,
}

/// A skill after a change of its status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillChanged {
    /// The skill.
    pub skill_id: String,
    /// Its version.
    pub version: Option<String>,
    /// Whether it can be called now.
    pub runtime_status: Option<SkillStatus>,
    /// Reason, if given.
    pub reason: Option<String>,
}

/// Response of `DELETE /v1/skills/{skill_id}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RemovedSkill {
    /// The skill.
    pub skill_id: String,
    /// The version that ran.
    pub version: String,
    /// The owner of the id.
    pub publisher: String,
    /// Number of removed stored keys; `null` if the data was kept.
    pub forgotten_keys: Option<u64>,
}

/// Response of `POST /v1/skills/{skill_id}/prepare`: its modules are compiled and describe what the manifest says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillPrepared {
    /// The skill.
    pub skill_id: String,
}

/// Response of `POST /v1/skills/{skill_id}/verify`: the stored bytes are the ones that were installed.
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
