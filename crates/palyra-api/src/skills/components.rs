//! Components of a skill, from its bill of materials.

pub use palyra_common::model::skills::SkillDependency;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Response of `GET /v1/skills/{skill_id}/components`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillComponents {
    /// The skill.
    pub skill_id: String,
    /// The version of the active release.
    pub version: String,
    /// Its modules.
    pub modules: Vec<SkillModule>,
    /// Dependencies of the modules.
    pub dependencies: Vec<SkillDependency>,
}

/// One module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SkillModule {
    /// Its path in the package.
    pub path: String,
    /// The SHA-256 of its bytes.
    pub sha256: String,
    /// The languages and tools it was built with, for example `language: Rust`.
    pub producers: Vec<String>,
}
