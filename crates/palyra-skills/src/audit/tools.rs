//! Tool ids: unique within the skill, and not confusable with ids of other installed skills.

use std::collections::{BTreeMap, BTreeSet};

use unicode_security::confusable_detection::skeleton;

use super::finding::FindingId;
use super::report::{Findings, quote};
use crate::manifest::SkillManifest;

/// The tool ids of all installed skills.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InstalledTools {
    /// The skill id by tool id.
    skill_of: BTreeMap<String, String>,
}

impl InstalledTools {
    /// Returns an empty set, for an audit outside of an installation.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Adds a tool of an installed skill.
    pub fn add(&mut self, skill_id: impl Into<String>, tool_id: impl Into<String>) {
        self.skill_of.insert(tool_id.into(), skill_id.into());
    }

    /// Returns the tools of other skills, as pairs of tool id and skill id.
    fn of_others(&self, skill_id: &str) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.skill_of.iter().map(|(tool, skill)| (tool.as_str(), skill.as_str()));
        pairs.filter(move |(_, skill)| *skill != skill_id)
    }
}

impl<S: Into<String>, T: Into<String>> FromIterator<(S, T)> for InstalledTools {
    fn from_iter<I: IntoIterator<Item = (S, T)>>(pairs: I) -> Self {
        let mut tools = Self::none();
        for (skill_id, tool_id) in pairs {
            tools.add(skill_id, tool_id);
        }
        tools
    }
}

/// Compares the tool ids of a skill with each other and with those of other skills.
pub(super) fn check(manifest: &SkillManifest, installed: &InstalledTools, findings: &mut Findings<'_>) {
    let others: BTreeMap<&str, &str> = installed.of_others(&manifest.skill_id).collect();
    let lookalikes: BTreeMap<String, (&str, &str)> =
        others.iter().map(|(tool, skill)| (visual_form(tool), (*tool, *skill))).collect();
    let mut own = BTreeSet::new();
    for tool in &manifest.entrypoints.tools {
        let subject = format!("/tools/{}/id", tool.id);
        if !own.insert(tool.id.as_str()) {
            let message = format!("two tools of this skill have the id `{}`", quote(&tool.id));
            findings.add(FindingId::ToolIdDuplicate, &subject, message, None);
        }
        if let Some(skill) = others.get(tool.id.as_str()) {
            let message = format!("the id `{}` belongs to the installed skill `{skill}`", tool.id);
            findings.add(FindingId::ToolIdDuplicate, &subject, message, None);
        } else if let Some((other, skill)) = lookalikes.get(&visual_form(&tool.id)) {
            let found = quote(&tool.id);
            let message = format!("`{found}` can be mistaken for `{other}` of the installed skill `{skill}`");
            findings.add(FindingId::ToolIdConfusable, &subject, message, Some(other));
        }
    }
}

/// Maps an id to a form that equals that of ids which look alike: similar letters are merged, separators dropped.
fn visual_form(id: &str) -> String {
    let lower = id.to_lowercase();
    let letters = skeleton(&lower).flat_map(char::to_lowercase).filter(|letter| letter.is_alphanumeric());
    letters.map(|letter| if letter == 'i' { 'l' } else { letter }).collect()
}
