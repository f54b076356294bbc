//! What is known about one publisher.

use serde::{Deserialize, Serialize};

use super::feed::FeedMark;
use crate::digest::Sha256Digest;
use crate::signing::{KeySet, PublisherKey};

/// One publisher: its keys, and whether it is blocked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublisherTrust {
    /// The keys believed; none for a publisher that was blocked before it was known.
    pub anchor: Option<PublisherAnchor>,
    /// Why it is blocked, if it is.
    pub blocked: Option<String>,
    /// The last revocation list signed by the publisher itself.
    pub revocations: Option<FeedMark>,
}

/// The keys of a publisher and how they came to be believed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublisherAnchor {
    /// Who decided.
    pub origin: KeyOrigin,
    /// Grows with each rotation; learned from the first release when the operator only gave keys.
    pub epoch: Option<u64>,
    /// The keys now, and how many must sign.
    pub keys: KeySet,
    /// The keys before, oldest first.
    pub past: Vec<PastKeys>,
}

/// How keys came to be believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyOrigin {
    /// An operator named them.
    Allowlisted,
    /// They came with the first skill, and an operator promoted that.
    TofuPinned,
}

/// Keys that were replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PastKeys {
    /// Their epoch, if it was known.
    pub epoch: Option<u64>,
    /// The keys and their threshold.
    pub keys: KeySet,
    /// What ended them.
    pub ended_by: EndedBy,
}

/// What ended a set of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndedBy {
    /// A rotation statement, by the SHA-256 of what was signed.
    Rotation(Sha256Digest),
    /// An operator pinned other keys.
    Repin,
}

/// The state of a publisher in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublisherMode {
    /// Its keys were named by an operator.
    Allowlisted,
    /// Its keys were pinned at first contact.
    TofuPinned,
    /// Nothing of it is accepted.
    Blocked,
}

impl PublisherTrust {
    /// The state in one word; none when there is nothing but a revocation list.
    #[must_use]
    pub fn mode(&self) -> Option<PublisherMode> {
        if self.blocked.is_some() {
            return Some(PublisherMode::Blocked);
        }
        self.anchor.as_ref().map(|anchor| match anchor.origin {
            KeyOrigin::Allowlisted => PublisherMode::Allowlisted,
            KeyOrigin::TofuPinned => PublisherMode::TofuPinned,
        })
    }
}

impl PublisherAnchor {
    /// Whether a key was this publisher's and is no longer.
    #[must_use]
    pub fn is_retired(&self, key: &PublisherKey) -> bool {
        !self.keys.contains(key) && self.past.iter().any(|past| past.keys.contains(key))
    }

    pub(super) fn replace(&mut self, keys: KeySet, epoch: Option<u64>, ended_by: EndedBy) {
        let old = std::mem::replace(&mut self.keys, keys);
        self.past.push(PastKeys { epoch: self.epoch, keys: old, ended_by });
        self.epoch = epoch;
    }
}
