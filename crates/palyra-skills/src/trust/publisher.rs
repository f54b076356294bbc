//! What is known about one publisher.

use serde::{Deserialize, Serialize};

use super::feed::FeedMark;
use super::rotation::SignedRotation;
use crate::digest::Sha256Digest;
use crate::signing::{KeySet, PublisherKey};

/// One publisher: its keys, and whether it is blocked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublisherTrust {
    /// The trusted keys; none for a publisher that was blocked before it was known.
    pub anchor: Option<PublisherAnchor>,
    /// Why it is blocked, if it is.
    pub blocked: Option<String>,
    /// The last revocation list signed by the publisher itself.
    pub revocations: Option<FeedMark>,
}

/// The keys of a publisher and the origin of trust in them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublisherAnchor {
    /// Principal that decided.
    pub origin: KeyOrigin,
    /// Grows with each rotation; learned from the first release when the operator only gave keys.
    pub epoch: Option<u64>,
    /// The keys now, and how many must sign.
    pub keys: KeySet,
    /// The keys before, oldest first.
    pub past: Vec<PastKeys>,
}

/// Origin of trust in keys.
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

/// Trust status of a publisher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PublisherMode {
    /// Its keys were named by an operator.
    Allowlisted,
    /// Its keys were pinned at first contact.
    TofuPinned,
    /// It is blocked.
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

    /// Whether enough of the present keys are in this set.
    #[must_use]
    pub fn is_signed_by(&self, keys: &KeySet) -> bool {
        self.keys.count_signed(keys.keys()) >= self.keys.threshold()
    }

    /// The epoch that ends when these old keys hand over to these new ones, now or at a time that is remembered.
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

    /// The keys before, oldest first, without those from before an operator pinned other ones: a publisher that lost
    /// its keys begins a new line.
    pub(super) fn current_line(&self) -> &[PastKeys] {
        let repinned = self.past.iter().rposition(|past| past.ended_by == EndedBy::Repin);
        self.past.get(repinned.map_or(0, |index| index + 1)..).unwrap_or_default()
    }

    /// Remembers how a publisher came to its keys, where nothing is known of it.
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
