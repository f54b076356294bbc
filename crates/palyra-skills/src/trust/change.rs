//! A change that verification proposes and an authorized caller applies.

use semver::Version;
use serde::Serialize;

use super::rotation::SignedRotation;
use crate::digest::Sha256Digest;
use crate::signing::KeySet;

/// Trust changes on acceptance of the artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrustChange {
    /// The publisher concerned.
    pub publisher: String,
    /// What changes about its keys, if anything.
    pub keys: Option<PublisherChange>,
    /// The release to remember; none when only the publisher changes.
    pub release: Option<ReleaseMark>,
}

/// A change about a publisher's keys.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PublisherChange {
    /// Pin the keys of a publisher never seen before.
    Pin {
        /// The keys.
        keys: KeySet,
        /// Their epoch.
        epoch: u64,
        /// How the publisher came to these keys; remembered so that another history is noticed later.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        lineage: Vec<SignedRotation>,
    },
    /// Follow rotations, oldest first.
    Rotate(Vec<SignedRotation>),
    /// Remember the epoch of keys an operator named.
    LearnEpoch {
        /// Their epoch.
        epoch: u64,
        /// How the publisher came to these keys.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        lineage: Vec<SignedRotation>,
    },
    /// Block a publisher whose keys signed two successors.
    Block {
        /// Reason.
        reason: String,
    },
}

/// A release to remember: it takes the skill's name and raises its high-water mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReleaseMark {
    /// The skill.
    pub skill_id: String,
    /// The version.
    pub version: Version,
    /// The counter.
    pub release_counter: u64,
    /// The payload.
    pub payload: Sha256Digest,
    /// Whether it is trusted because it is compiled into the program.
    pub built_in: bool,
}
