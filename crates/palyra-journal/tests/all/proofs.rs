//! Compares proofs with a second implementation, on trees in memory.

use crate::naive;
use palyra_journal::proof::{
    ConsistencyProof, InclusionProof, ProofError, RangeProof, prove_consistency, prove_inclusion, prove_range,
};
use palyra_journal::{NodeSource, TreeHash, TreeHead};
use proptest::prelude::*;
use std::convert::Infallible;

/// Computes nodes by hashing all leaves below them.
struct Leaves<'a>(&'a [Vec<u8>]);

impl NodeSource for Leaves<'_> {
    type Error = Infallible;

    fn node(&mut self, height: u32, index: u64) -> Result<TreeHash, Infallible> {
        let first = (index << height) as usize;
        Ok(TreeHash::from_bytes(naive::root(&self.0[first..first + (1 << height)])))
    }
}

fn leaves(count: usize) -> Vec<Vec<u8>> {
    (0..count).map(|number| format!("leaf {number}").into_bytes()).collect()
}

fn head(leaves: &[Vec<u8>]) -> TreeHead {
    TreeHead { size: leaves.len() as u64, root: TreeHash::from_bytes(naive::root(leaves)) }
}

fn hashes(hashes: Vec<naive::Hash>) -> Vec<TreeHash> {
    hashes.into_iter().map(TreeHash::from_bytes).collect()
}

fn leaf_hashes(leaves: &[Vec<u8>]) -> Vec<TreeHash> {
    leaves.iter().map(|leaf| TreeHash::of_leaf(leaf)).collect()
}

#[test]
fn known_trees_have_their_known_roots_and_proofs() {
    let leaves = naive::known_leaves();
    for (size, root) in naive::KNOWN_ROOTS.iter().enumerate() {
        assert_eq!(head(&leaves[..size]).root.to_string(), *root, "the second implementation, {size} leaves");
    }
    // Published for these leaves: the path of leaf 0 under 8, and the proof from 6 to 8.
    let check = |found: Vec<TreeHash>, expected: &[&str]| {
        assert_eq!(found.iter().map(TreeHash::to_string).collect::<Vec<_>>(), expected);
    };
    let inclusion = prove_inclusion(&mut Leaves(&leaves), 0, head(&leaves)).unwrap();
    check(
        inclusion.path,
        &[
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    );
    let consistency = prove_consistency(&mut Leaves(&leaves), head(&leaves[..6]), head(&leaves)).unwrap();
    check(
        consistency.path,
        &[
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    );
}

#[test]
fn every_proof_in_small_trees_is_the_one_of_the_standard_and_holds() {
    let all = leaves(40);
    for size in 0..=all.len() {
        let tree = &all[..size];
        for sequence in 0..size {
            let proof = prove_inclusion(&mut Leaves(tree), sequence as u64, head(tree)).unwrap();
            assert_eq!(proof.path, hashes(naive::path(sequence, tree)), "{sequence} in {size}");
            proof.verify(&TreeHash::of_leaf(&tree[sequence])).unwrap();
            assert!(proof.verify(&TreeHash::of_leaf(b"another")).is_err());
        }
        for old in 0..=size {
            let proof = prove_consistency(&mut Leaves(tree), head(&tree[..old]), head(tree)).unwrap();
            let expected = if old == 0 { Vec::new() } else { naive::proof(old, tree) };
            assert_eq!(proof.path, hashes(expected), "{old} in {size}");
            proof.verify().unwrap();
        }
        for first in 0..size {
            for end in first + 1..=size {
                let proof = prove_range(&mut Leaves(tree), first as u64, end as u64, head(tree)).unwrap();
                proof.verify(&leaf_hashes(&tree[first..end])).unwrap();
            }
        }
    }
}

#[test]
fn a_tree_that_is_not_a_continuation_is_found_out() {
    let honest = leaves(20);
    let mut forked = leaves(20);
    forked[7] = b"another".to_vec();
    for old in 1..20 {
        let proof = prove_consistency(&mut Leaves(&forked), head(&honest[..old]), head(&forked)).unwrap();
        assert_eq!(proof.verify().is_ok(), old <= 7, "old size {old}");
    }
    let smaller = prove_consistency(&mut Leaves(&honest), head(&honest), head(&honest[..5])).unwrap();
    assert_eq!(smaller.verify(), Err(ProofError::OutOfRange { position: 20, size: 5 }));
}

fn any_hash() -> impl Strategy<Value = TreeHash> {
    any::<[u8; 32]>().prop_map(TreeHash::from_bytes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_changed_inclusion_proof_is_refused(size in 1_usize..200, at in any::<prop::sample::Index>(),
                                            bit in 0_usize..256, place in any::<prop::sample::Index>()) {
        let tree = leaves(size);
        let sequence = at.index(size);
        let leaf = TreeHash::of_leaf(&tree[sequence]);
        let proof = prove_inclusion(&mut Leaves(&tree), sequence as u64, head(&tree)).unwrap();
        prop_assert!(proof.verify(&leaf).is_ok());
        prop_assert_eq!(&proof.path, &hashes(naive::path(sequence, &tree)));
        if !proof.path.is_empty() {
            let mut changed = proof.clone();
            let hash = &mut changed.path[place.index(proof.path.len())];
            let mut bytes = *hash.as_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            *hash = TreeHash::from_bytes(bytes);
            prop_assert!(changed.verify(&leaf).is_err());
            let mut shorter = proof.clone();
            shorter.path.pop();
            prop_assert!(shorter.verify(&leaf).is_err());
        }
        let mut longer = proof.clone();
        longer.path.push(leaf);
        prop_assert!(longer.verify(&leaf).is_err());
        for other in (0..size as u64 + 2).filter(|other| *other != sequence as u64) {
            let moved = InclusionProof { sequence: other, ..proof.clone() };
            prop_assert!(moved.verify(&leaf).is_err());
        }
    }

    #[test]
    fn a_changed_range_is_refused(size in 1_usize..120, a in any::<prop::sample::Index>(), b in any::<prop::sample::Index>()) {
        let tree = leaves(size);
        let (a, b) = (a.index(size), b.index(size));
        let (first, end) = (a.min(b), a.max(b) + 1);
        let hashes = leaf_hashes(&tree[first..end]);
        let proof = prove_range(&mut Leaves(&tree), first as u64, end as u64, head(&tree)).unwrap();
        prop_assert!(proof.verify(&hashes).is_ok());
        prop_assert!(proof.verify(&hashes[1..]).is_err());
        prop_assert!(proof.verify(&[]).is_err());
        let mut swapped = hashes.clone();
        swapped.reverse();
        prop_assert_eq!(proof.verify(&swapped).is_ok(), swapped == hashes);
        let mut moved = proof.clone();
        moved.first += 1;
        prop_assert!(moved.verify(&hashes).is_err());
        let mut longer = proof;
        longer.outside.push(hashes[0]);
        prop_assert!(longer.verify(&hashes).is_err());
    }

    /// Verification of arbitrary proofs ends and does not panic.
    #[test]
    fn hostile_proofs_are_answered(first in any::<u64>(), size in any::<u64>(), other in any::<u64>(), root in any_hash(),
                                   path in prop::collection::vec(any_hash(), 0..140), leaf in any_hash()) {
        let head = TreeHead { size, root };
        let old = TreeHead { size: other, root };
        let inclusion = InclusionProof { sequence: first, head, path: path.clone() };
        prop_assert!(inclusion.verify(&leaf).is_err());
        let consistent = ConsistencyProof { old, new: head, path: path.clone() }.verify();
        prop_assert!(consistent.is_err() || size == other);
        let range = RangeProof { first, head, outside: path.clone() };
        prop_assert!(range.verify(&path).is_err());
    }
}
