//! Proofs for others: one leaf under a signed checkpoint, and consistency between two heads.

use super::nodes::StoredNodes;
use super::query::{checked_proof, recorded};
use super::rows::{self, HeadRow};
use super::{JournalStore, Leaf};
use crate::proof::{ConsistencyProof, InclusionProof, ProofError, prove_consistency};
use crate::{
    Checkpoint, CheckpointError, CheckpointKey, Damage, EventError, JournalError, NewEvent, TreeHash,
    TreeHead,
};
use rusqlite::Connection;
use serde::{Deserialize, Serialize};

/// An event with the evidence that the journal contains it, verifiable with the public key alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// The leaf in canonical form.
    pub leaf: String,
    /// The proof that the leaf is in the tree of the checkpoint.
    pub proof: InclusionProof,
    /// The signed checkpoint for the head of the proof.
    pub checkpoint: String,
}

/// The reason why a receipt is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptError {
    /// The leaf is not a valid event.
    #[error("invalid leaf in the receipt")]
    Leaf(#[from] EventError),
    /// The checkpoint is not a valid one of the journal.
    #[error("invalid checkpoint in the receipt")]
    Checkpoint(#[from] CheckpointError),
    /// The proof does not lead from the leaf to the checkpoint.
    #[error("invalid proof in the receipt")]
    Proof(#[from] ProofError),
    /// The proof is for another head than the checkpoint.
    #[error("the receipt's proof covers {proof} events, its checkpoint {checkpoint}")]
    OtherHead {
        /// The size of the tree in the proof.
        proof: u64,
        /// The size of the tree in the checkpoint.
        checkpoint: u64,
    },
}

impl Receipt {
    /// Verifies the receipt with the public key of the journal and returns its event.
    ///
    /// # Errors
    ///
    /// If the signature of the checkpoint is invalid, the proof does not lead from the leaf to the checkpoint, or the
    /// leaf is not an event.
    pub fn verify(&self, key: &CheckpointKey) -> Result<NewEvent, ReceiptError> {
        let checkpoint = Checkpoint::open(&self.checkpoint, key)?;
        if checkpoint.head() != self.proof.head {
            let (proof, checkpoint) = (self.proof.head.size, checkpoint.head().size);
            return Err(ReceiptError::OtherHead { proof, checkpoint });
        }
        self.proof.verify(&TreeHash::of_leaf(self.leaf.as_bytes()))?;
        Ok(crate::decode_leaf(self.leaf.as_bytes())?)
    }
}

impl JournalStore {
    /// Returns the receipt of an event under the first checkpoint after it. Blocks the calling thread.
    ///
    /// `None` if no checkpoint covers the event yet, or if its row is in a segment file.
    pub fn receipt(&self, sequence: u64) -> Result<Option<Receipt>, JournalError> {
        let keys = &self.keys;
        self.read(|connection| {
            let HeadRow { head, archived } = rows::read_head(connection)?;
            if sequence < archived {
                return Ok(None);
            }
            let Some((size, note)) = rows::checkpoints_from(connection, sequence + 1, 1)?.pop() else {
                return Ok(None);
            };
            let checkpoint = Checkpoint::open_with_any(&note, keys)
                .map_err(|error| Damage::CheckpointInvalid { size, reason: error.to_string() })?;
            let mut nodes = StoredNodes::new(connection, head.size);
            let (leaf, hash) = leaf_at(connection, sequence)?;
            let proof = checked_proof(&mut nodes, Leaf { sequence, hash }, checkpoint.head())?;
            Ok(Some(Receipt { leaf, proof, checkpoint: note }))
        })
    }

    /// Returns the proof that the current journal starts with the leaves of an older head.
    ///
    /// The proof is computed for any `old`. [`ConsistencyProof::verify`] decides whether it is valid.
    pub fn consistency_with(&self, old: TreeHead) -> Result<ConsistencyProof, JournalError> {
        self.read(|connection| {
            let head = rows::read_head(connection)?.head;
            prove_consistency(&mut StoredNodes::new(connection, head.size), old, head)
        })
    }

    /// Returns the last signed checkpoint, after verifying it.
    ///
    /// # Errors
    ///
    /// [`JournalError::Damaged`] if it is missing or its signature is invalid.
    pub fn last_checkpoint(&self) -> Result<Checkpoint, JournalError> {
        let keys = &self.keys;
        self.read(|connection| {
            let (size, note) = rows::last_checkpoint(connection)?.ok_or(Damage::CheckpointMissing)?;
            let opened = Checkpoint::open_with_any(&note, keys);
            Ok(opened.map_err(|error| Damage::CheckpointInvalid { size, reason: error.to_string() })?)
        })
    }
}

fn leaf_at(connection: &Connection, sequence: u64) -> Result<(String, TreeHash), JournalError> {
    let (mut found, mut scratch) = (None, Vec::new());
    rows::each_event(connection, sequence, sequence + 1, |stored| {
        let hash = recorded(&stored, &mut scratch)?.leaf.hash;
        found = Some((String::from_utf8_lossy(&scratch).into_owned(), hash));
        Ok(())
    })?;
    Ok(found.ok_or(Damage::EventMissing { sequence })?)
}
