//! The closed vocabularies of rules; each is an enumeration of the schema.

use serde::{Deserialize, Serialize};
use std::fmt;

pub use palyra_common::model::skills::TrustState;
pub use palyra_common::{Action, PrincipalKind, Transport as Face};

/// The kind of resource that an action applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ResourceKind {
    /// A tool of an installed skill.
    Tool,
    /// An installed skill, or one that is about to be installed.
    Skill,
    /// A publisher in the trust store.
    Publisher,
    /// The daemon itself, for everything that has no resource of another kind.
    Daemon,
}

impl ResourceKind {
    /// Every kind, in the order of the schema.
    pub const ALL: &'static [Self] = &[Self::Tool, Self::Skill, Self::Publisher, Self::Daemon];

    /// Returns the entity type of the schema, as in rules and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "Tool",
            Self::Skill => "Skill",
            Self::Publisher => "Publisher",
            Self::Daemon => "Daemon",
        }
    }
}

impl fmt::Display for ResourceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Returns the kinds of resources that the action applies to, as in the schema.
pub const fn resources(action: Action) -> &'static [ResourceKind] {
    use ResourceKind::{Daemon, Publisher, Skill, Tool};
    match action {
        Action::Read => &[Tool, Skill, Publisher, Daemon],
        Action::Invoke => &[Tool, Daemon],
        Action::Approve => &[Tool],
        Action::Operate => &[Tool, Skill, Daemon],
        Action::Install => &[Skill, Daemon],
        Action::Promote => &[Skill],
        Action::Grant => &[Skill, Daemon],
        Action::Trust => &[Publisher, Daemon],
        Action::Vault | Action::Admin => &[Daemon],
    }
}

impl ResourceKind {
    /// Returns the name in a sentence, with an article.
    pub(crate) const fn description(self) -> &'static str {
        match self {
            Self::Tool => "a tool",
            Self::Skill => "a skill",
            Self::Publisher => "a publisher",
            Self::Daemon => "the daemon",
        }
    }
}
