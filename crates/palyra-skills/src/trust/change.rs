//! Trust changes, which verification proposes and an authorized caller applies.

use semver::Version;
use serde::Serialize;

use super::rotation::SignedRotation;
use crate::digest::Sha256Digest;
use crate::signing::KeySet;

/// The changes to the trust store if an artifact is accepted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TrustChange {
    /// The publisher of the artifact.
    pub publisher: String,
    /// The change to the publisher's keys, if any.
    pub keys: Option<PublisherChange>,
    /// The release to record; `None` if only the publisher changes.
    pub release: Option<ReleaseMark>,
}

/// A change to the keys of a publisher.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PublisherChange {
    /// Pins the keys of an unknown publisher.
    Pin {
        /// The keys to pin, with their threshold.
        keys: KeySet,
        /// The epoch of the keys.
        epoch: u64,
        /// The rotations that led to these keys, stored to detect a conflicting history later.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        lineage: Vec<SignedRotation>,
    },
    /// Applies rotations, oldest first.
    Rotate(Vec<SignedRotation>),
    /// Sets the epoch of keys that an operator allowed without one.
    LearnEpoch {
        /// The epoch of the keys, from the release.
        epoch: u64,
        /// The rotations that led to these keys.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        lineage: Vec<SignedRotation>,
    },
    /// Blocks a publisher whose keys signed two different successors.
    Block {
        /// The reason, displayed whenever an artifact of the publisher is refused.
        reason: String,
    },
}

/// A release to record. It assigns the skill id to the publisher and raises the high-water mark.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReleaseMark {
    /// The id of the skill.
    pub skill_id: String,
    /// The version of the release.
    pub version: Version,
    /// The release counter, which increases with each release of the skill.
    pub release_counter: u64,
    /// The payload digest, which identifies the release.
    pub payload: Sha256Digest,
    /// Whether the release is trusted because it is part of the program.
    pub built_in: bool,
}
