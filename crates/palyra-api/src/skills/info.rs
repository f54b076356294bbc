//! The five questions: who made it, what can it touch, what has it used, why is it in this state, what would change it.

pub use palyra_common::model::runs::{CapabilityTotal, RunTotals};
pub use palyra_common::model::skills::{
    DiffChange, DiffRow, DiffSection, MadeBy, Permission, PermissionSeverity, PublisherMode,
};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{SkillEntry, SkillStatus};

/// Response of `GET /v1/skills/{id}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SkillInfo {
    /// The record, with its state on the daemon's machine.
    pub entry: SkillEntry,
    /// The publisher.
    pub made_by: MadeBy,
    /// Permissions.
    pub can_touch: CanTouch,
    /// Use of capabilities.
    pub has_used: Vec<CapabilityTotal>,
    /// Number of runs.
    pub runs: RunTotals,
    /// Why is it in this state.
    pub why: String,
    /// Commands that would change it, most useful first.
    pub would_change: Vec<String>,
    /// Changes of the pending release.
    pub waiting: Option<WaitingRelease>,
    /// The digest for consent, if required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consent_digest: Option<String>,
}

/// Permissions of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CanTouch {
    /// Requested permissions as text.
    pub asks: Vec<Permission>,
    /// Effective grants, in the form of `--grant`.
    pub granted: Vec<String>,
    /// Requested permissions that are not granted.
    pub closed: Vec<String>,
}

/// A pending release of an installed skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WaitingRelease {
    /// Its state.
    pub status: SkillStatus,
    /// Changes.
    pub diff: UpdateDiff,
    /// Permissions that need consent.
    pub consent: ConsentRequest,
}

/// Consent required before a release can run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConsentRequest {
    /// The skill.
    pub skill_id: String,
    /// The release it is about.
    pub payload: String,
    /// The running release it would replace.
    pub replaces: Option<String>,
    /// Permissions of the release.
    pub capability_digest: String,
    /// Texts for models.
    pub model_text_digest: String,
}

/// The differences between two releases.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UpdateDiff {
    /// Differences, grouped by section.
    pub rows: Vec<DiffRow>,
}
