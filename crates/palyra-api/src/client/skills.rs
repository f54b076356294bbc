//! Calls about installed skills.

use super::{Client, ClientError, Transport, segment};
use crate::skills::{SkillInfo, SkillList};

impl<T: Transport> Client<T> {
    /// Every installed skill with its state.
    pub async fn skills(&self) -> Result<SkillList, ClientError> {
        self.get("/v1/skills").await
    }

    /// The answers about one skill.
    pub async fn skill(&self, skill_id: &str) -> Result<SkillInfo, ClientError> {
        self.get(&format!("/v1/skills/{}", segment(skill_id))).await
    }
}
