//! The right edge of the tree, with only the nodes that an append needs.

use super::{NodeSource, lowest_bit, range_root};
use crate::hash::{TreeHash, TreeHead};

/// Levels of the tree that one tile spans.
pub(crate) const TILE_HEIGHT: u32 = 8;
/// Hashes in a tile.
pub(crate) const TILE_WIDTH: u64 = 1 << TILE_HEIGHT;

/// A full row of 256 neighbouring nodes at height `8 × level`, with the root over them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tile {
    pub(crate) level: u32,
    pub(crate) index: u64,
    pub(crate) root: TreeHash,
    /// The hashes one after another.
    pub(crate) hashes: Vec<u8>,
}

/// The head of the tree with the hashes that later appends combine with; logarithmic in the size.
#[derive(Debug, Clone)]
pub(crate) struct TreeTail {
    size: u64,
    /// Roots of the complete subtrees from the left, one for each bit set in `size`.
    peaks: Vec<TreeHash>,
    /// By level, the nodes of the tile that is not full yet.
    open: Vec<Vec<u8>>,
}

impl TreeTail {
    /// Returns the tail of a tree without leaves.
    pub(crate) fn empty() -> Self {
        Self { size: 0, peaks: Vec::new(), open: Vec::new() }
    }

    /// Reads the tail at a size whose nodes are stored.
    pub(crate) fn load<S: NodeSource>(source: &mut S, size: u64) -> Result<Self, S::Error> {
        let mut peaks = Vec::new();
        let mut rest = size;
        while rest > 0 {
            let width = lowest_bit(rest);
            peaks.push(range_root(source, rest - width, rest)?);
            rest -= width;
        }
        peaks.reverse();
        let mut open = Vec::new();
        let mut complete = size;
        let mut level = 0;
        while complete > 0 {
            let first = complete / TILE_WIDTH * TILE_WIDTH;
            let mut hashes = Vec::with_capacity(((complete - first) * 32) as usize);
            for index in first..complete {
                hashes.extend_from_slice(source.node(level * TILE_HEIGHT, index)?.as_bytes());
            }
            open.push(hashes);
            complete /= TILE_WIDTH;
            level += 1;
        }
        Ok(Self { size, peaks, open })
    }

    /// Returns the number of leaves.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Adds a leaf and passes on each tile that it completed, the lowest first.
    pub(crate) fn push(&mut self, leaf: TreeHash, mut filled: impl FnMut(Tile)) {
        let mut node = leaf;
        let mut height = 0_u32;
        loop {
            if height.is_multiple_of(TILE_HEIGHT) {
                self.keep(height / TILE_HEIGHT, node);
            }
            // This leaf completes as many subtrees as `size` has trailing ones.
            if self.size >> height & 1 == 0 {
                break;
            }
            let Some(left) = self.peaks.pop() else { break };
            node = TreeHash::of_node(&left, &node);
            height += 1;
            if height.is_multiple_of(TILE_HEIGHT)
                && let Some(tile) = self.take_full(height / TILE_HEIGHT - 1, node)
            {
                filled(tile);
            }
        }
        self.peaks.push(node);
        self.size += 1;
    }

    /// Returns the head over all leaves.
    pub(crate) fn head(&self) -> TreeHead {
        let mut peaks = self.peaks.iter().rev().copied();
        let root = match peaks.next() {
            None => TreeHash::of_nothing(),
            Some(last) => peaks.fold(last, |right, left| TreeHash::of_node(&left, &right)),
        };
        TreeHead { size: self.size, root }
    }

    fn keep(&mut self, level: u32, node: TreeHash) {
        let level = level as usize;
        while self.open.len() <= level {
            self.open.push(Vec::new());
        }
        if let Some(open) = self.open.get_mut(level) {
            open.extend_from_slice(node.as_bytes());
        }
    }

    fn take_full(&mut self, level: u32, root: TreeHash) -> Option<Tile> {
        let hashes = std::mem::take(self.open.get_mut(level as usize)?);
        Some(Tile { level, index: self.size >> (TILE_HEIGHT * (level + 1)), root, hashes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::convert::Infallible;

    /// Stores every node, as a simple reference for the tail.
    #[derive(Default)]
    struct AllNodes(HashMap<(u32, u64), TreeHash>);

    impl AllNodes {
        fn push(&mut self, index: u64, leaf: TreeHash) {
            let (mut height, mut index, mut node) = (0, index, leaf);
            self.0.insert((height, index), node);
            while index % 2 == 1 {
                node = TreeHash::of_node(&self.0[&(height, index - 1)], &node);
                height += 1;
                index /= 2;
                self.0.insert((height, index), node);
            }
        }
    }

    impl NodeSource for AllNodes {
        type Error = Infallible;

        fn node(&mut self, height: u32, index: u64) -> Result<TreeHash, Infallible> {
            Ok(self.0[&(height, index)])
        }
    }

    #[test]
    fn a_tail_grown_and_a_tail_loaded_agree_at_every_size() {
        let (mut grown, mut nodes, mut tiles) = (TreeTail::empty(), AllNodes::default(), Vec::new());
        for sequence in 0..70_000_u64 {
            if sequence % 911 == 0 || sequence % TILE_WIDTH == 0 || sequence > 69_990 {
                let loaded = TreeTail::load(&mut nodes, sequence).unwrap();
                assert_eq!(loaded.head(), grown.head());
                let open = |tail: &TreeTail| tail.open.iter().map(Vec::len).sum::<usize>();
                assert_eq!((loaded.size(), open(&loaded)), (sequence, open(&grown)));
                assert_eq!(loaded.peaks, grown.peaks);
            }
            let leaf = TreeHash::of_leaf(&sequence.to_le_bytes());
            nodes.push(sequence, leaf);
            grown.push(leaf, |tile| tiles.push(tile));
        }
        assert_eq!(tiles.iter().filter(|tile| tile.level == 1).count(), 1);
        for tile in tiles {
            let first = tile.index * TILE_WIDTH;
            assert_eq!(tile.root, nodes.0[&((tile.level + 1) * TILE_HEIGHT, tile.index)]);
            assert_eq!(tile.hashes.len() as u64, TILE_WIDTH * 32);
            for (offset, hash) in tile.hashes.chunks(32).enumerate() {
                let node = nodes.0[&(tile.level * TILE_HEIGHT, first + offset as u64)];
                assert_eq!(TreeHash::from_slice(hash), Some(node));
            }
        }
    }
}
