//! The tree as arithmetic: which complete subtrees make up a range of leaves.
//!
//! A node is named by its height (0 is a leaf) and its index from the left at that height. Everything a
//! proof needs is the root of some range of leaves, and each such root is folded from the stored nodes of
//! [`NodeSource`]. Nothing here knows where they are stored.

mod tail;

pub(crate) use tail::{TILE_HEIGHT, TILE_WIDTH, Tile, TreeTail};

use crate::hash::TreeHash;

/// The source of the hashes of complete subtrees.
pub trait NodeSource {
    /// Why a node could not be read.
    type Error;

    /// The hash over the `2^height` leaves from `index * 2^height` on.
    fn node(&mut self, height: u32, index: u64) -> Result<TreeHash, Self::Error>;
}

/// The root of the leaves `start..end`, where `start` is a multiple of the width of the range rounded up to
/// a power of two, as it is for every range that RFC 6962 asks for.
pub(crate) fn range_root<S: NodeSource>(source: &mut S, start: u64, end: u64) -> Result<TreeHash, S::Error> {
    let mut root = None;
    // From the right: the smallest subtree is folded first, under the larger one to its left.
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

/// The largest power of two below `width`, which must be at least 2.
pub(crate) const fn split(width: u64) -> u64 {
    1 << (63 - (width - 1).leading_zeros())
}

const fn lowest_bit(number: u64) -> u64 {
    number & number.wrapping_neg()
}
