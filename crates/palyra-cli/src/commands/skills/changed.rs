//! The result of a change of an installed skill.

use crate::output::{facts, shapes};
use palyra_api::skills::SkillChanged;

/// Formats the current status of a skill.
pub(super) fn data(changed: &SkillChanged) -> String {
    let version = changed.version.as_deref().unwrap_or_default();
    facts(&[
        ("skill", format!("{} {version}", changed.skill_id).trim_end().to_owned()),
        ("status", changed.runtime_status.map_or("not installed", shapes::status).to_owned()),
        ("because", changed.reason.clone().unwrap_or_default()),
    ])
}
