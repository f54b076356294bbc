//! A tool as the agent sees it: from its signed manifest and its current grants.

use palyra_api::sessions::SessionLabels;
use palyra_common::CapabilityGrantSet;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A tool that can be called now.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCard {
    /// Full id, for example `acme.notes.add`.
    pub tool_id: String,
    /// Name for models: the id with `__` for `.`, or an alias of the operator.
    pub model_name: String,
    /// Display name.
    pub title: String,
    /// Description from the signed manifest.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// JSON Schema of its result.
    pub output_schema: Value,
    /// Example arguments from the manifest.
    pub examples: Vec<Value>,
    /// Skill that owns the tool.
    pub skill_id: String,
    /// Side effects that its grants permit.
    pub access: ToolAccess,
}

/// Side effects that the grants of a tool permit. Rows of earlier versions also contain whether it writes outside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAccess {
    /// True if the tool can change storage, files, a channel, or a server by a request other than GET.
    pub writes: bool,
}

impl ToolAccess {
    /// Derives the access from the grants in effect, never from claims of a manifest.
    pub fn of(grants: &CapabilityGrantSet) -> Self {
        Self { writes: grants.writes_outside() || grants.writes_storage() }
    }
}

/// Returns the labels for the capabilities that a run used, by their names.
pub fn used_labels<'n>(used: impl IntoIterator<Item = &'n str>) -> SessionLabels {
    let mut labels = SessionLabels::default();
    for name in used {
        match name.split(':').next().unwrap_or_default() {
            "storage" | "fs" | "secret" => labels.private = true,
            "http" => labels.untrusted = true,
            _ => {}
        }
    }
    labels
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn access_follows_from_grants() {
        let access = |grants: &[&str]| {
            let set: CapabilityGrantSet = grants.iter().map(|grant| grant.parse().unwrap()).collect();
            (ToolAccess::of(&set).writes, set.writes_outside())
        };
        assert_eq!(access(&[]), (false, false));
        assert_eq!(access(&["http:GET https://example.com/", "fs-read:docs"]), (false, false));
        assert_eq!(access(&["storage-read:notes/"]), (false, false));
        assert_eq!(access(&["storage:notes/"]), (true, false));
        for outside in ["http:https://example.com", "channel:news", "fs-write:docs"] {
            assert_eq!(access(&[outside]), (true, true), "{outside}");
        }
    }

    #[test]
    fn labels_follow_from_use() {
        let labels = |names: &[&str]| used_labels(names.iter().copied());
        assert_eq!(labels(&["channel:news"]), SessionLabels::default());
        assert_eq!(labels(&["http:example.com"]), SessionLabels { untrusted: true, private: false });
        assert!(labels(&["storage:notes/", "http:example.com"]).is_risky());
    }
}
