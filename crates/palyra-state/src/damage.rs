//! Differences between the state and its anchor.

use std::fmt;

use palyra_skills::Sha256Digest;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// One finding of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Name of the check, row or file.
    pub what: String,
    /// Value according to the anchor or the journal.
    pub expected: String,
    /// Value in the state root.
    pub found: String,
    /// Command or step that resolves it.
    pub remedy: String,
}

/// All findings of the checks. While there is one, the state cannot be used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// Findings in the order of the checks.
    pub differences: Vec<Difference>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, expected, found, .. } = self;
        write!(f, "{what}: expected {expected}, found {found}")
    }
}

impl Damage {
    /// Returns whether no check found a difference.
    pub fn is_none(&self) -> bool {
        self.differences.is_empty()
    }

    pub(crate) fn add(
        &mut self,
        what: impl Into<String>,
        expected: impl fmt::Display,
        found: impl fmt::Display,
        remedy: &str,
    ) {
        self.differences.push(Difference {
            what: what.into(),
            expected: expected.to_string(),
            found: found.to_string(),
            remedy: remedy.to_owned(),
        });
    }

    /// Returns one digest over these differences and the outcome of a repair, which binds a repair to what was shown.
    pub(crate) fn digest(&self, outcome: &str) -> Sha256Digest {
        let mut hash = Sha256::new();
        hash.update(b"palyra.state.repair/v1");
        let texts = self.differences.iter().flat_map(|d| [&d.what, &d.expected, &d.found]);
        for text in texts.map(String::as_str).chain([outcome]) {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
        Sha256Digest::from_bytes(hash.finalize().into())
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, difference) in self.differences.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{difference}")?;
        }
        Ok(())
    }
}
