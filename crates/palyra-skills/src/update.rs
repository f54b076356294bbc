//! Compares the manifests of two releases, to decide whether an update needs consent.
//!
//! Growth is an element of the new set that no element of the old set allows. The same permissions in another
//! notation are not growth; a union that was not granted as such is.

mod rows;

pub use palyra_common::model::skills::{DiffChange as Change, DiffRow, DiffSection};

use serde::{Deserialize, Serialize};

use crate::manifest::SkillManifest;

/// The differences between two releases of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UpdateDiff {
    /// The differences, grouped by section; empty for equivalent manifests.
    pub rows: Vec<DiffRow>,
}

impl UpdateDiff {
    /// Compares two releases of one skill.
    #[must_use]
    pub fn between(old: &SkillManifest, new: &SkillManifest) -> Self {
        Self { rows: rows::all(old, new) }
    }

    /// Returns whether the new release needs consent before it runs.
    #[must_use]
    pub fn needs_consent(&self) -> bool {
        self.consent_rows().next().is_some()
    }

    /// Returns the rows that need consent.
    pub fn consent_rows(&self) -> impl Iterator<Item = &DiffRow> {
        self.rows.iter().filter(|row| matches!(row.change, Change::Growth | Change::Text))
    }

    /// Returns whether the releases are equivalent.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}
