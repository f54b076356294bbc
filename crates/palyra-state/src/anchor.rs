//! The anchor: the digest of the database in the vault, which detects an older or edited database.

use palyra_journal::TreeHead;
use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};

/// Generation and root of the sealed rows, and the head of the journal, as of one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    /// Incremented by one with every change of a sealed row.
    pub generation: u64,
    /// Merkle root over all sealed rows.
    pub root: Sha256Digest,
    /// Head of the journal, including the leaf of that change.
    pub journal: TreeHead,
}

/// The anchors in the vault: the last confirmed commit, and one that was announced and may or may not have happened.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Anchors {
    pub(crate) committed: Option<Anchor>,
    pub(crate) pending: Option<Anchor>,
}

/// Result of comparing a database with the anchors in the vault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnchorStatus {
    /// The database matches the committed anchor; nothing is left to do.
    Committed(Anchor),
    /// The database matches the pending anchor: its commit happened, and the vault has to be updated.
    Finish(Anchor),
    /// The database matches neither anchor: it is older than the vault, or was edited.
    Neither,
}

impl Anchor {
    pub(crate) fn to_bytes(&self) -> Result<Vec<u8>, serde_json::Error> {
        serde_json::to_vec(self)
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(bytes)
    }
}

impl Anchors {
    /// Compares the generation and root of a database with both anchors.
    pub(crate) fn anchor_status(&self, generation: Option<u64>, root: &Sha256Digest) -> AnchorStatus {
        let is = |anchor: &&Anchor| Some(anchor.generation) == generation && anchor.root == *root;
        match (self.committed.as_ref().filter(is), self.pending.as_ref().filter(is)) {
            (Some(anchor), _) => AnchorStatus::Committed(anchor.clone()),
            (None, Some(anchor)) => AnchorStatus::Finish(anchor.clone()),
            (None, None) => AnchorStatus::Neither,
        }
    }

    /// Returns the highest generation of both anchors, or 0 if there is no anchor.
    pub(crate) fn highest_generation(&self) -> u64 {
        let generations = [&self.committed, &self.pending].into_iter().flatten();
        generations.map(|anchor| anchor.generation).max().unwrap_or(0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn anchor(generation: u64, text: &str) -> Anchor {
        Anchor { generation, root: Sha256Digest::of(text.as_bytes()), journal: TreeHead::empty() }
    }

    #[test]
    fn a_database_answers_to_one_of_two_or_to_none() {
        let anchors = Anchors { committed: Some(anchor(4, "old")), pending: Some(anchor(5, "new")) };
        let anchor_status =
            |generation, text: &str| anchors.anchor_status(generation, &Sha256Digest::of(text.as_bytes()));
        assert_eq!(anchor_status(Some(4), "old"), AnchorStatus::Committed(anchor(4, "old")));
        assert_eq!(anchor_status(Some(5), "new"), AnchorStatus::Finish(anchor(5, "new")));
        for (generation, text) in [(Some(4), "new"), (Some(5), "old"), (Some(3), "old"), (None, "old")] {
            assert_eq!(anchor_status(generation, text), AnchorStatus::Neither, "{generation:?} {text}");
        }
        assert_eq!(anchors.highest_generation(), 5);
    }

    #[test]
    fn bytes_come_back_and_nothing_else_is_read() {
        let bytes = anchor(7, "x").to_bytes().unwrap();
        assert_eq!(Anchor::from_bytes(&bytes).unwrap(), anchor(7, "x"));
        assert!(Anchor::from_bytes(&bytes[..bytes.len() - 1]).is_err());
        assert!(Anchor::from_bytes(b"{}").is_err());
    }
}
