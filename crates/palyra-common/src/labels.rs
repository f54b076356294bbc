//! Information-flow labels: what a session has read, computed from recorded use.

use serde::{Deserialize, Serialize};

/// What a session has read. Nothing a model says changes a label; a person can clear them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InformationLabels {
    /// Storage, files or secrets were read.
    pub private: bool,
    /// Content from outside was read, such as a web page.
    pub untrusted: bool,
}

impl InformationLabels {
    /// Nothing was read.
    pub const NONE: Self = Self { private: false, untrusted: false };

    /// Whether no label is set.
    pub const fn is_empty(&self) -> bool {
        !self.private && !self.untrusted
    }

    /// The names of the labels that are set, as policy rules write them.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        [(self.private, "private"), (self.untrusted, "untrusted")]
            .into_iter()
            .filter_map(|(set, name)| set.then_some(name))
    }
}
