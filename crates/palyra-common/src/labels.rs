//! Information-flow labels of a session, computed from the recorded calls.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The information-flow labels of a session, computed from recorded use.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SessionLabels)]
pub struct InformationLabels {
    /// The session read storage, files or secrets.
    pub private: bool,
    /// The session read content from the network.
    pub untrusted: bool,
}

impl InformationLabels {
    /// Nothing was read yet, so no label is set.
    pub const NONE: Self = Self { private: false, untrusted: false };

    /// Returns whether no label is set.
    pub const fn is_empty(&self) -> bool {
        !self.private && !self.untrusted
    }

    /// Returns the names of the labels that are set, as in policy rules.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        [(self.private, "private"), (self.untrusted, "untrusted")]
            .into_iter()
            .filter_map(|(set, name)| set.then_some(name))
    }

    /// Returns the labels that are set in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self { private: self.private || other.private, untrusted: self.untrusted || other.untrusted }
    }

    /// Returns whether untrusted content could make a tool disclose private data.
    pub const fn is_risky(self) -> bool {
        self.private && self.untrusted
    }
}
