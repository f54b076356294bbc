//! The nodes of the tree, read from the database.

use super::rows;
use crate::tree::{NodeSource, TILE_HEIGHT, TILE_WIDTH};
use crate::{Damage, JournalError, TreeHash};
use rusqlite::{Connection, params};
use std::collections::HashMap;

/// Reads nodes of a tree of a given size, each tile once.
pub(super) struct StoredNodes<'a> {
    connection: &'a Connection,
    size: u64,
    /// Below this, leaves are in segment files and only their hashes are here.
    tiles: HashMap<(u32, u64), Vec<u8>>,
}

impl<'a> StoredNodes<'a> {
    pub(super) fn new(connection: &'a Connection, size: u64) -> Self {
        Self { connection, size, tiles: HashMap::new() }
    }

    /// Returns the hashes of a tile, concatenated; a tile at the right edge has fewer.
    fn tile(&mut self, level: u32, index: u64) -> Result<&[u8], JournalError> {
        // Checked before using the entry, because reading needs `self`.
        if !self.tiles.contains_key(&(level, index)) {
            let hashes = self.read(level, index)?;
            self.tiles.insert((level, index), hashes);
        }
        Ok(self.tiles.get(&(level, index)).map(Vec::as_slice).unwrap_or_default())
    }

    fn read(&self, level: u32, index: u64) -> Result<Vec<u8>, JournalError> {
        let complete = self.size >> (TILE_HEIGHT * level);
        let first = index * TILE_WIDTH;
        if complete >= first + TILE_WIDTH {
            let tile = rows::read_tile(self.connection, level, index)?;
            let missing = Damage::NodesMissing { sequence: first << (TILE_HEIGHT * level), level };
            return Ok(tile.ok_or(missing)?.hashes);
        }
        match level.checked_sub(1) {
            None => self.leaf_hashes(first),
            Some(below) => self.tile_roots(below, first, complete),
        }
    }

    /// Returns the hashes of the leaves that are in no complete tile, computed from the rows.
    fn leaf_hashes(&self, first: u64) -> Result<Vec<u8>, JournalError> {
        let (mut hashes, mut scratch) = (Vec::new(), Vec::new());
        rows::each_event(self.connection, first, self.size, |stored| {
            hashes.extend_from_slice(stored.checked_hash(&mut scratch)?.as_bytes());
            Ok(())
        })?;
        Ok(hashes)
    }

    fn tile_roots(&self, level: u32, first: u64, end: u64) -> Result<Vec<u8>, JournalError> {
        let read = || -> rusqlite::Result<Vec<(u64, [u8; 32])>> {
            self.connection
                .prepare_cached(
                    "SELECT idx, root FROM journal_tile WHERE level = ?1 AND idx >= ?2 AND idx < ?3 ORDER BY idx",
                )?
                .query_map(params![level, first, end], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        };
        let found = read().map_err(JournalError::sqlite("read subtree hashes"))?;
        for (index, expected) in found.iter().map(|(index, _)| Some(*index)).chain([None]).zip(first..end) {
            if index != Some(expected) {
                let sequence = expected << (TILE_HEIGHT * (level + 1));
                return Err(Damage::NodesMissing { sequence, level }.into());
            }
        }
        Ok(found.into_iter().flat_map(|(_, root)| root).collect())
    }
}

impl NodeSource for StoredNodes<'_> {
    type Error = JournalError;

    fn node(&mut self, height: u32, index: u64) -> Result<TreeHash, JournalError> {
        let (level, above) = (height / TILE_HEIGHT, height % TILE_HEIGHT);
        let first = index << above;
        let hashes = self.tile(level, first / TILE_WIDTH)?;
        let start = (first % TILE_WIDTH) as usize * 32;
        let nodes = hashes.get(start..start + (32 << above)).map(fold).unwrap_or_default();
        nodes.ok_or_else(|| Damage::NodesMissing { sequence: index << height, level }.into())
    }
}

/// Returns the root over hashes whose number is a power of two.
fn fold(hashes: &[u8]) -> Option<TreeHash> {
    let mut nodes: Vec<TreeHash> = hashes.chunks_exact(32).filter_map(TreeHash::from_slice).collect();
    while nodes.len() > 1 {
        nodes = nodes
            .chunks_exact(2)
            .filter_map(|pair| Some(TreeHash::of_node(pair.first()?, pair.last()?)))
            .collect();
    }
    nodes.pop()
}
