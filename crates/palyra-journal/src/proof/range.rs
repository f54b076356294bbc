//! Proofs that a range of consecutive leaves is in the tree, complete and in order.

use super::ProofError;
use crate::hash::{TreeHash, TreeHead};
use crate::tree::{NodeSource, range_root, split};

/// Most hashes a range proof can need: two borders in a tree of at most 2^63 leaves.
pub const MAX_RANGE_PROOF: usize = 2 * 63;

/// The hashes beside a range of leaves, from left to right, that complete it to the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeProof {
    /// The position of the first leaf, counted from 0.
    pub first: u64,
    /// The head that the leaves are proven under.
    pub head: TreeHead,
    /// The roots of the subtrees outside of the range, in the order of the tree.
    pub outside: Vec<TreeHash>,
}

impl RangeProof {
    /// Verifies that exactly these leaf hashes start at `first` in the tree of `head`.
    pub fn verify(&self, leaves: &[TreeHash]) -> Result<(), ProofError> {
        let TreeHead { size, root: expected } = self.head;
        let end = self.first.saturating_add(leaves.len() as u64);
        if end > size || leaves.is_empty() {
            return Err(ProofError::OutOfRange { position: end.max(self.first), size });
        }
        let wrong_length = || ProofError::WrongLength { found: self.outside.len(), size };
        let mut walk = Walk { range: self.first..end, leaves: leaves.iter(), outside: self.outside.iter() };
        let found = walk.root(0, size).ok_or_else(wrong_length)?;
        if walk.outside.next().is_some() {
            return Err(wrong_length());
        }
        if found == expected { Ok(()) } else { Err(ProofError::RootMismatch { size, expected, found }) }
    }
}

/// Returns the proof for the leaves `first..end` in the tree of `head`, which must contain them.
pub fn prove_range<S: NodeSource>(
    source: &mut S,
    first: u64,
    end: u64,
    head: TreeHead,
) -> Result<RangeProof, S::Error> {
    let mut outside = Vec::new();
    collect(source, &(first..end), (0, head.size), &mut outside)?;
    Ok(RangeProof { first, head, outside })
}

type Range = std::ops::Range<u64>;

fn is_outside(range: &Range, start: u64, end: u64) -> bool {
    end <= range.start || start >= range.end
}

fn collect<S: NodeSource>(
    source: &mut S,
    range: &Range,
    (start, end): (u64, u64),
    outside: &mut Vec<TreeHash>,
) -> Result<(), S::Error> {
    if is_outside(range, start, end) {
        outside.push(range_root(source, start, end)?);
        return Ok(());
    }
    if range.start <= start && end <= range.end {
        return Ok(());
    }
    let middle = start + split(end - start);
    collect(source, range, (start, middle), outside)?;
    collect(source, range, (middle, end), outside)
}

/// Consumes leaves and hashes in tree order. The recursion is as deep as the tree, at most 64.
struct Walk<'a> {
    range: Range,
    leaves: std::slice::Iter<'a, TreeHash>,
    outside: std::slice::Iter<'a, TreeHash>,
}

impl Walk<'_> {
    fn root(&mut self, start: u64, end: u64) -> Option<TreeHash> {
        if is_outside(&self.range, start, end) {
            return self.outside.next().copied();
        }
        if end - start == 1 {
            return self.leaves.next().copied();
        }
        let middle = start + split(end - start);
        let left = self.root(start, middle)?;
        Some(TreeHash::of_node(&left, &self.root(middle, end)?))
    }
}
