//! What differs between the state as it is and the state as it was anchored.

use std::fmt;

use palyra_skills::Sha256Digest;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// One thing that is not as it was left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The check.
    pub what: String,
    /// What it should have been.
    pub expected: String,
    /// Description.
    pub found: String,
    /// Suggested next steps.
    pub remedy: String,
}

/// Everything that differs; while there is one, nothing runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Damage {
    /// The differences, in the order they were found.
    pub differences: Vec<Difference>,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, expected, found, .. } = self;
        write!(f, "{what}: expected {expected}, found {found}")
    }
}

impl Damage {
    /// Whether all is as it was left.
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

    /// One digest over exactly these differences and what a repair would make of them.
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
