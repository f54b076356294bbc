//! What an update changes: a diff over normalised sets, and whether a person must agree to it.
//!
//! Growth is an element of the new set that no element of the old set allows. The same permissions written
//! differently are not growth; a union that was not granted as such is.

mod rows;

use serde::{Deserialize, Serialize};

use crate::manifest::SkillManifest;

/// The differences between two releases, row by row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateDiff {
    /// What differs, grouped by section; empty for two equal manifests.
    pub rows: Vec<DiffRow>,
}

/// One difference, in two columns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffRow {
    /// The part of the manifest.
    pub section: DiffSection,
    /// Subject of the row: a host, a secret, a tool, a pointer to a text.
    pub subject: String,
    /// The old column; `None` if there was nothing.
    pub old: Option<String>,
    /// The new column; `None` if there is nothing any more.
    pub new: Option<String>,
    /// Meaning of the difference.
    pub change: Change,
}

/// The part of the manifest a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiffSection {
    /// Version, counter, names outside the model's view.
    Release,
    /// HTTP rules.
    Http,
    /// Secrets.
    Secrets,
    /// Storage prefixes.
    Storage,
    /// Channels.
    Channels,
    /// Filesystem roots.
    Filesystem,
    /// Devices and wildcard opt-in.
    Devices,
    /// Limits.
    Quotas,
    /// Tools, their risk and what they return.
    Tools,
    /// Hooks and their events.
    Hooks,
    /// Settings of the operator.
    Config,
    /// Requirements.
    Compat,
    /// Text models read.
    Text,
}

/// Meaning of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The new release can do something the old one could not.
    Growth,
    /// A model reads something else.
    Text,
    /// The new release can do less.
    Narrowing,
    /// Neither.
    Neutral,
}

impl UpdateDiff {
    /// Compares two releases of one skill.
    #[must_use]
    pub fn between(old: &SkillManifest, new: &SkillManifest) -> Self {
        Self { rows: rows::all(old, new) }
    }

    /// Whether a person must agree before the new release runs.
    #[must_use]
    pub fn needs_consent(&self) -> bool {
        self.consent_rows().next().is_some()
    }

    /// The rows a person must agree to.
    pub fn consent_rows(&self) -> impl Iterator<Item = &DiffRow> {
        self.rows.iter().filter(|row| matches!(row.change, Change::Growth | Change::Text))
    }

    /// Whether nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
