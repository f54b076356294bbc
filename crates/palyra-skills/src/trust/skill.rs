//! Who owns a skill, and which of its releases this machine has accepted; kept after it is removed.

use std::collections::BTreeMap;

use semver::Version;
use serde::{Deserialize, Serialize};

use crate::digest::Sha256Digest;

/// What is remembered of a skill for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillOwnership {
    /// The publisher whose skill it is.
    pub owner: String,
    /// Every release accepted here, by version.
    pub releases: BTreeMap<Version, KnownRelease>,
}

/// A release that was accepted here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownRelease {
    /// Its payload.
    pub payload: Sha256Digest,
    /// Its release counter.
    pub release_counter: u64,
    /// Whether it was trusted because it was compiled into the program; that stays so after an upgrade.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub built_in: bool,
}

/// The newest release accepted here; nothing older is accepted again as an update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HighWaterMark {
    /// Its version.
    pub version: Version,
    /// The highest counter seen.
    pub release_counter: u64,
}

impl SkillOwnership {
    /// How far the skill has come; none before its first release.
    #[must_use]
    pub fn high_water(&self) -> Option<HighWaterMark> {
        let version = self.releases.keys().max_by(|left, right| left.cmp_precedence(right))?.clone();
        let release_counter = self.releases.values().map(|release| release.release_counter).max()?;
        Some(HighWaterMark { version, release_counter })
    }

    /// Whether any release of it came with the program.
    #[must_use]
    pub fn has_built_in(&self) -> bool {
        self.releases.values().any(|release| release.built_in)
    }

    /// Whether exactly this payload was accepted as one that came with the program.
    #[must_use]
    pub fn accepted_as_built_in(&self, payload: Sha256Digest) -> bool {
        self.releases.values().any(|release| release.payload == payload && release.built_in)
    }

    /// Whether exactly this payload was accepted here.
    #[must_use]
    pub fn knows(&self, payload: Sha256Digest) -> bool {
        self.releases.values().any(|release| release.payload == payload)
    }
}
