//! Arithmetic of the tree: the complete subtrees of a range of leaves.
//!
//! A node is identified by its height (0 is a leaf) and its index from the left at that height. Every hash of a proof
//! is the root of a range of leaves, computed from the stored nodes of a [`NodeSource`]. This module does not depend on
//! how they are stored.

mod tail;

pub(crate) use tail::{TILE_HEIGHT, TILE_WIDTH, Tile, TreeTail};

use crate::hash::TreeHash;

/// The source of the hashes of complete subtrees.
pub trait NodeSource {
    /// The error of reading a node.
    type Error;

    /// Returns the hash over the `2^height` leaves from `index * 2^height` on.
    fn node(&mut self, height: u32, index: u64) -> Result<TreeHash, Self::Error>;
}

/// Returns the root of the leaves `start..end`. `start` must be a multiple of the length of the range rounded up to a
/// power of two, which is true for every range in RFC 6962.
pub(crate) fn range_root<S: NodeSource>(source: &mut S, start: u64, end: u64) -> Result<TreeHash, S::Error> {
    let mut root = None;
    // From right to left: the smallest subtree first, which is then combined with the larger one on its left.
    let mut rest = end;
    while rest > start {
        let width = lowest_bit(rest - start);
        let height = width.trailing_zeros();
        let node = source.node(height, (rest - width) >> height)?;
        root = Some(match root {
            None => node,
            Some(right) => TreeHash::of_node(&node, &right),
        });
        rest -= width;
    }
    Ok(root.unwrap_or_else(TreeHash::of_nothing))
}

/// Returns the largest power of two below `width`, which must be at least 2.
pub(crate) const fn split(width: u64) -> u64 {
    1 << (63 - (width - 1).leading_zeros())
}

const fn lowest_bit(number: u64) -> u64 {
    number & number.wrapping_neg()
}
