//! Consistency: a newer tree starts with every leaf of an older one.

use super::ProofError;
use crate::hash::{TreeHash, TreeHead};
use crate::tree::{NodeSource, range_root, split};
use serde::{Deserialize, Serialize};

/// The consistency proof of RFC 6962 section 2.1.2 between two heads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsistencyProof {
    /// The head of the smaller, older tree.
    pub old: TreeHead,
    /// The head of the larger, newer tree.
    pub new: TreeHead,
    /// The hashes from which both roots are computed.
    pub path: Vec<TreeHash>,
}

impl ConsistencyProof {
    /// Verifies that the leaves of `old` are the first leaves of `new`, unchanged and in order.
    ///
    /// # Errors
    ///
    /// [`ProofError::OutOfRange`] if `old` is larger, [`ProofError::WrongLength`] if hashes are missing or left over,
    /// and [`ProofError::RootMismatch`] if they lead to another root.
    pub fn verify(&self) -> Result<(), ProofError> {
        let Self { old, new, path } = self;
        if old.size > new.size {
            return Err(ProofError::OutOfRange { position: old.size, size: new.size });
        }
        let wrong_length = || ProofError::WrongLength { found: path.len(), size: new.size };
        if old.size == new.size || old.size == 0 {
            if !path.is_empty() {
                return Err(wrong_length());
            }
            return match old.size {
                0 => expect(old, TreeHash::of_nothing()),
                _ => expect(new, old.root),
            };
        }
        let (mut node, mut last) = (old.size - 1, new.size - 1);
        while node % 2 == 1 {
            node /= 2;
            last /= 2;
        }
        let mut hashes = path.iter();
        // An old tree that is one complete subtree is its own starting point.
        let seed = match node {
            0 => old.root,
            _ => *hashes.next().ok_or_else(wrong_length)?,
        };
        let (mut old_hash, mut new_hash) = (seed, seed);
        for sibling in hashes {
            if last == 0 {
                return Err(wrong_length());
            }
            if node % 2 == 1 || node == last {
                old_hash = TreeHash::of_node(sibling, &old_hash);
                new_hash = TreeHash::of_node(sibling, &new_hash);
                while node % 2 == 0 && node != 0 {
                    node /= 2;
                    last /= 2;
                }
            } else {
                new_hash = TreeHash::of_node(&new_hash, sibling);
            }
            node /= 2;
            last /= 2;
        }
        if last != 0 {
            return Err(wrong_length());
        }
        expect(old, old_hash)?;
        expect(new, new_hash)
    }
}

fn expect(head: &TreeHead, found: TreeHash) -> Result<(), ProofError> {
    if head.root == found {
        Ok(())
    } else {
        Err(ProofError::RootMismatch { size: head.size, expected: head.root, found })
    }
}

/// Returns the proof between two heads.
///
/// The path is empty if `old` is not smaller than `new`; [`ConsistencyProof::verify`] refuses the proof if `old` is
/// larger.
pub fn prove_consistency<S: NodeSource>(
    source: &mut S,
    old: TreeHead,
    new: TreeHead,
) -> Result<ConsistencyProof, S::Error> {
    let mut path = Vec::new();
    if old.size > 0 && old.size < new.size {
        let (mut start, mut end, mut whole) = (0, new.size, true);
        while end != old.size {
            let middle = start + split(end - start);
            if old.size <= middle {
                path.push(range_root(source, middle, end)?);
                end = middle;
            } else {
                path.push(range_root(source, start, middle)?);
                start = middle;
                whole = false;
            }
        }
        if !whole {
            path.push(range_root(source, start, end)?);
        }
        path.reverse();
    }
    Ok(ConsistencyProof { old, new, path })
}
