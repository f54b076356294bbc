//! The receipt of a run, to hand to others; `schemas/json/receipt.schema.json` describes it for them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::journal::InclusionProof;

/// Response of `GET /v1/runs/{run_id}/receipt`: the leaf of a run, and all that shows that it stands in a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunReceipt {
    /// `palyra.receipt/v1`.
    pub schema: String,
    /// The run.
    pub run_id: String,
    /// Leaf, inclusion proof and signed checkpoint.
    pub receipt: JournalReceipt,
    /// The key of the checkpoint, as `origin+hash+key`.
    pub key: String,
}

/// One event with its inclusion proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JournalReceipt {
    /// The leaf, in its canonical form.
    pub leaf: String,
    /// Status.
    pub proof: InclusionProof,
    /// The signed checkpoint of the proof's head.
    pub checkpoint: String,
}
