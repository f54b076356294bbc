//! Proofs to hand out: one leaf under a signed checkpoint, and one head before another.

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

/// One event with all that shows that it stands in the journal; checked with the public key alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// The leaf, in its canonical form.
    pub leaf: String,
    /// Status.
    pub proof: InclusionProof,
    /// The signed checkpoint of the proof's head.
    pub checkpoint: String,
}

/// Why a receipt shows nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptError {
    /// Its leaf is not an event.
    #[error("invalid leaf in the receipt")]
    Leaf(#[from] EventError),
    /// Its checkpoint is not one of the journal.
    #[error("invalid checkpoint in the receipt")]
    Checkpoint(#[from] CheckpointError),
    /// Its proof does not lead from the leaf to the checkpoint.
    #[error("invalid proof in the receipt")]
    Proof(#[from] ProofError),
    /// Its proof ends in another head than the checkpoint.
    #[error("the receipt's proof covers {proof} events, its checkpoint {checkpoint}")]
    OtherHead {
        /// The size in the proof.
        proof: u64,
        /// The size in the checkpoint.
        checkpoint: u64,
    },
}

impl Receipt {
    /// Checks everything and gives the event.
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
    /// The receipt of an event under the first checkpoint after it; `None` if no checkpoint covers it yet,
    /// or if its row is in a segment file. Blocks the calling thread.
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

    /// The proof that the present journal begins with the leaves of an older head of it.
    ///
    /// The proof is made whatever `old` says; whether it holds is for [`ConsistencyProof::verify`] to say.
    pub fn consistency_with(&self, old: TreeHead) -> Result<ConsistencyProof, JournalError> {
        self.read(|connection| {
            let head = rows::read_head(connection)?.head;
            prove_consistency(&mut StoredNodes::new(connection, head.size), old, head)
        })
    }

    /// The last signed checkpoint.
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
