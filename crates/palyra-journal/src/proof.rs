//! Proofs about the tree, made from stored nodes and checked with hashes only.
//!
//! Every check here is a pure function of its arguments, so a second machine can run it with no database.

mod consistency;
mod inclusion;
mod range;

pub use consistency::{ConsistencyProof, prove_consistency};
pub use inclusion::{InclusionProof, prove_inclusion};
pub use range::{MAX_RANGE_PROOF, RangeProof, prove_range};

/// The reason why a proof is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProofError {
    /// The position is not in the tree.
    #[error("position {position} is outside a tree of {size} leaves")]
    OutOfRange {
        /// The first position that is outside.
        position: u64,
        /// The size of the tree.
        size: u64,
    },
    /// The proof has more or fewer hashes than its tree needs.
    #[error("the proof has {found} hashes, which does not match a tree of {size} leaves")]
    WrongLength {
        /// How many hashes there are.
        found: usize,
        /// The size of the tree.
        size: u64,
    },
    /// The hashes lead to another root.
    #[error("the proof leads to root `{found}`, expected `{expected}` for {size} leaves")]
    RootMismatch {
        /// The size of the tree.
        size: u64,
        /// The root of the tree head that the proof was checked against.
        expected: crate::TreeHash,
        /// The root the hashes lead to.
        found: crate::TreeHash,
    },
}
