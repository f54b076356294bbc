//! The digest of all sealed rows: an RFC 6962 Merkle tree over the rows in key order.

use sha2::{Digest, Sha256};

/// Returns the root over leaf hashes; of no leaves, the SHA-256 of nothing.
pub(super) fn root(leaves: impl Iterator<Item = [u8; 32]>) -> [u8; 32] {
    // Complete subtrees of descending height, one per set bit of the number of leaves so far.
    let mut subtrees: Vec<(u32, [u8; 32])> = Vec::new();
    for leaf in leaves {
        let mut node = (0, leaf);
        while let Some((height, left)) = subtrees.pop_if(|(height, _)| *height == node.0) {
            node = (height + 1, parent(&left, &node.1));
        }
        subtrees.push(node);
    }
    let mut right: Option<[u8; 32]> = None;
    while let Some((_, left)) = subtrees.pop() {
        right = Some(right.map_or(left, |right| parent(&left, &right)));
    }
    right.unwrap_or_else(|| Sha256::digest([]).into())
}

fn parent(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    Sha256::new().chain_update([1]).chain_update(left).chain_update(right).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computes the root by the recursive definition in RFC 6962, section 2.1.
    fn by_definition(leaves: &[[u8; 32]]) -> [u8; 32] {
        match leaves {
            [] => Sha256::digest([]).into(),
            [leaf] => *leaf,
            _ => {
                let split = leaves.len().next_power_of_two() / 2;
                parent(&by_definition(&leaves[..split]), &by_definition(&leaves[split..]))
            }
        }
    }

    #[test]
    fn agrees_with_the_definition() {
        for count in 0..40_u8 {
            let leaves: Vec<[u8; 32]> = (0..count).map(|number| [number; 32]).collect();
            assert_eq!(root(leaves.iter().copied()), by_definition(&leaves), "{count}");
        }
    }
}
