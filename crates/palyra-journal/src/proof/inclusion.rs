//! Inclusion: a leaf is in the tree at one position.

use super::ProofError;
use crate::hash::{TreeHash, TreeHead};
use crate::tree::{NodeSource, range_root, split};
use serde::{Deserialize, Serialize};

/// The audit path of RFC 6962 section 2.1.1, from the leaf upwards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InclusionProof {
    /// The position of the leaf, counted from 0.
    pub sequence: u64,
    /// The head that the leaf is proven under.
    pub head: TreeHead,
    /// The sibling hashes, from the leaf upwards.
    pub path: Vec<TreeHash>,
}

impl InclusionProof {
    /// Verifies that a leaf with this hash is at `sequence` in the tree of `head`.
    pub fn verify(&self, leaf: &TreeHash) -> Result<(), ProofError> {
        let TreeHead { size, root: expected } = self.head;
        if self.sequence >= size {
            return Err(ProofError::OutOfRange { position: self.sequence, size });
        }
        let wrong_length = ProofError::WrongLength { found: self.path.len(), size };
        let (mut node, mut last, mut hash) = (self.sequence, size - 1, *leaf);
        for sibling in &self.path {
            if last == 0 {
                return Err(wrong_length);
            }
            if node % 2 == 1 || node == last {
                hash = TreeHash::of_node(sibling, &hash);
                // A node without a right sibling moves up until it is a right child.
                while node % 2 == 0 && node != 0 {
                    node /= 2;
                    last /= 2;
                }
            } else {
                hash = TreeHash::of_node(&hash, sibling);
            }
            node /= 2;
            last /= 2;
        }
        if last != 0 {
            return Err(wrong_length);
        }
        if hash == expected { Ok(()) } else { Err(ProofError::RootMismatch { size, expected, found: hash }) }
    }
}

/// Returns the path of the leaf at `sequence` in the tree of `head`; empty if the tree does not contain it.
pub fn prove_inclusion<S: NodeSource>(
    source: &mut S,
    sequence: u64,
    head: TreeHead,
) -> Result<InclusionProof, S::Error> {
    let mut path = Vec::new();
    let (mut start, mut end) = (0, head.size);
    while end - start > 1 && sequence < end {
        let middle = start + split(end - start);
        if sequence < middle {
            path.push(range_root(source, middle, end)?);
            end = middle;
        } else {
            path.push(range_root(source, start, middle)?);
            start = middle;
        }
    }
    path.reverse();
    Ok(InclusionProof { sequence, head, path })
}
