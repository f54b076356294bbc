//! A skill whose state was changed.

use crate::output::{facts, skills};
use palyra_skills::{RuntimeStatus, SkillInventoryEntry};
use palyra_state::State;
use serde::Serialize;

/// What a skill is now.
#[derive(Serialize)]
pub(super) struct Changed {
    pub(super) skill_id: String,
    version: Option<String>,
    runtime_status: Option<RuntimeStatus>,
    reason: Option<String>,
}

impl Changed {
    /// As the index says.
    pub(super) fn now(state: &State, skill_id: &str, reason: Option<&str>) -> Self {
        let record = state.view().index().get(skill_id).cloned();
        let entry = record.map(|record| SkillInventoryEntry::new(record, state.platform()));
        Self {
            skill_id: skill_id.to_owned(),
            version: entry.as_ref().map(|entry| entry.record.current.manifest.version.to_string()),
            runtime_status: entry.map(|entry| entry.runtime_status),
            reason: reason.map(str::to_owned),
        }
    }

    pub(super) fn data(&self) -> String {
        let version = self.version.as_deref().unwrap_or_default();
        facts(&[
            ("skill", format!("{} {version}", self.skill_id).trim_end().to_owned()),
            ("status", self.runtime_status.map(skills::status).unwrap_or("not installed").to_owned()),
            ("because", self.reason.clone().unwrap_or_default()),
        ])
    }
}
