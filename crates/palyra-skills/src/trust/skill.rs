//! Ownership of a skill id and the releases accepted on this machine. Kept after the skill is removed.

use std::collections::BTreeMap;

use semver::Version;
use serde::{Deserialize, Serialize};

use crate::digest::Sha256Digest;

/// The permanent record of a skill id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillOwnership {
    /// The publisher that owns the id.
    pub owner: String,
    /// Every release accepted on this machine, by version.
    pub releases: BTreeMap<Version, KnownRelease>,
}

/// A release that was accepted on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownRelease {
    /// The payload digest, which identifies the release.
    pub payload: Sha256Digest,
    /// The release counter of its manifest.
    pub release_counter: u64,
    /// Whether it was trusted as part of the program. Unchanged when a later program no longer contains it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub built_in: bool,
}

/// The newest release accepted on this machine. An older one is not accepted as an update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HighWaterMark {
    /// The version with the highest precedence.
    pub version: Version,
    /// The highest counter seen.
    pub release_counter: u64,
}

impl SkillOwnership {
    /// Returns the high-water mark, or `None` before the first release.
    #[must_use]
    pub fn high_water(&self) -> Option<HighWaterMark> {
        let version = self.releases.keys().max_by(|left, right| left.cmp_precedence(right))?.clone();
        let release_counter = self.releases.values().map(|release| release.release_counter).max()?;
        Some(HighWaterMark { version, release_counter })
    }

    /// Returns whether any accepted release was part of the program.
    #[must_use]
    pub fn has_built_in(&self) -> bool {
        self.releases.values().any(|release| release.built_in)
    }

    /// Returns whether this payload was accepted as part of the program.
    #[must_use]
    pub fn accepted_as_built_in(&self, payload: Sha256Digest) -> bool {
        self.releases.values().any(|release| release.payload == payload && release.built_in)
    }

    /// Returns whether this payload was accepted on this machine.
    #[must_use]
    pub fn knows(&self, payload: Sha256Digest) -> bool {
        self.releases.values().any(|release| release.payload == payload)
    }
}
