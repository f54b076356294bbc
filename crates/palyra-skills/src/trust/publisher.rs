//! Trust in one publisher: its keys, their history, and whether it is blocked.

pub use palyra_common::model::skills::{KeyOrigin, PublisherMode};

use serde::{Deserialize, Serialize};

use super::feed::FeedMark;
use super::rotation::SignedRotation;
use crate::digest::Sha256Digest;
use crate::signing::{KeySet, PublisherKey};

/// A publisher in the trust store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublisherTrust {
    /// The trusted keys; `None` for a publisher that was blocked before it was known.
    pub anchor: Option<PublisherAnchor>,
    /// The reason for blocking the publisher; `None` if it is not blocked.
    pub blocked: Option<String>,
    /// The last revocation list signed by the publisher itself.
    pub revocations: Option<FeedMark>,
}

/// The trusted keys of a publisher, with their origin and history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublisherAnchor {
    /// Whether an operator allowlisted the keys or the first installation pinned them.
    pub origin: KeyOrigin,
    /// The current epoch; `None` until the first release, if an operator named the keys.
    pub epoch: Option<u64>,
    /// The current keys and threshold.
    pub keys: KeySet,
    /// The replaced keys, oldest first.
    pub past: Vec<PastKeys>,
}

/// Keys that were replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PastKeys {
    /// The epoch of the keys, if it was known.
    pub epoch: Option<u64>,
    /// The keys and their threshold.
    pub keys: KeySet,
    /// The event that replaced them.
    pub ended_by: EndedBy,
}

/// The event that replaced a set of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndedBy {
    /// A rotation statement, identified by the SHA-256 of the signed bytes.
    Rotation(Sha256Digest),
    /// An operator pinned other keys.
    Repin,
}

impl PublisherTrust {
    /// Returns the status, or `None` for a publisher without keys that is not blocked.
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
    /// Returns whether a key belonged to this publisher and was replaced.
    #[must_use]
    pub fn is_retired(&self, key: &PublisherKey) -> bool {
        !self.keys.contains(key) && self.past.iter().any(|past| past.keys.contains(key))
    }

    /// Returns whether the set contains as many of the current keys as the threshold requires.
    #[must_use]
    pub fn is_signed_by(&self, keys: &KeySet) -> bool {
        self.keys.count_signed(keys.keys()) >= self.keys.threshold()
    }

    /// Returns the epoch that ends with the rotation from `old` to `new`, a future one or a recorded one.
    #[must_use]
    pub fn epoch_of_handover(&self, old: &KeySet, new: &KeySet) -> Option<u64> {
        if self.is_signed_by(old) {
            return self.epoch;
        }
        let line = self.current_line();
        let successors = line.iter().skip(1).map(|past| &past.keys).chain([&self.keys]);
        let signed = |keys: &KeySet| keys.count_signed(old.keys()) >= keys.threshold();
        let mut handovers = line.iter().zip(successors);
        let (past, _) = handovers.find(|(past, successor)| signed(&past.keys) && *successor == new)?;
        past.epoch
    }

    /// Returns the replaced keys, oldest first, since an operator last repinned the publisher. A publisher that lost
    /// its keys starts a new line.
    pub(super) fn current_line(&self) -> &[PastKeys] {
        let repinned = self.past.iter().rposition(|past| past.ended_by == EndedBy::Repin);
        self.past.get(repinned.map_or(0, |index| index + 1)..).unwrap_or_default()
    }

    /// Records the rotations that led to the current keys, unless a history is known already.
    pub(super) fn remember_lineage(&mut self, lineage: &[SignedRotation]) {
        let leads_here = lineage.last().is_some_and(|last| *last.new_keys() == self.keys);
        if !leads_here || !self.current_line().is_empty() {
            return;
        }
        let mut keys = lineage.first().map(SignedRotation::old_keys);
        for rotation in lineage {
            let (epoch, ended_by) = (rotation.statement().from_epoch, EndedBy::Rotation(rotation.digest()));
            let keys = keys.replace(rotation.new_keys()).unwrap_or(rotation.old_keys()).clone();
            self.past.push(PastKeys { epoch: Some(epoch), keys, ended_by });
        }
    }

    pub(super) fn replace(&mut self, keys: KeySet, epoch: Option<u64>, ended_by: EndedBy) {
        let old = std::mem::replace(&mut self.keys, keys);
        self.past.push(PastKeys { epoch: self.epoch, keys: old, ended_by });
        self.epoch = epoch;
    }
}
