//! The portable receipt of a run: it can be verified without access to the state root.

use palyra_common::ErrorCode;
use palyra_journal::{CheckpointKey, EventKind, KeyError, MAX_EVENT_BYTES, Receipt, ReceiptError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::StateError;
use crate::runs::RunStore;

/// Schema name of a receipt.
pub const RECEIPT_SCHEMA: &str = "palyra.receipt/v1";
/// Maximum size of a receipt in bytes: a leaf as JSON text in JSON, its proof and its checkpoint.
const MAX_RECEIPT_BYTES: usize = 4 * MAX_EVENT_BYTES + (64 << 10);

/// The leaf of a run with the proof that it is part of a signed journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunReceipt {
    /// `palyra.receipt/v1`.
    pub schema: String,
    /// Id of the run, which must match the leaf.
    pub run_id: String,
    /// Leaf, inclusion proof and signed checkpoint.
    pub receipt: Receipt,
    /// Public key of the checkpoint, as `origin+hash+key`.
    pub key: String,
}

/// The verified content of a receipt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerifiedReceipt {
    /// Id of the run.
    pub run_id: String,
    /// Skill that ran.
    pub skill_id: String,
    /// Tool or hook that ran.
    pub tool_id: String,
    /// Principal on whose behalf it ran.
    pub principal: String,
    /// True if the run returned a result.
    pub completed: bool,
    /// Time of its end in Unix milliseconds, by the clock of the machine that ran it.
    pub at_ms: u64,
    /// Digests, cost and capability use from the leaf.
    #[serde(with = "palyra_common::json::in_order")]
    pub details: Value,
    /// Sequence number of the leaf in the journal.
    pub sequence: u64,
    /// Number of leaves that the signed checkpoint covers.
    pub tree_size: u64,
    /// Public key that signed; the caller has to know whose it is.
    pub key: String,
}

/// Why a receipt is invalid.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum RunReceiptError {
    /// The bytes are not a receipt.
    #[error("invalid receipt: {reason}")]
    NotAReceipt { reason: String },
    /// The key in the receipt cannot be parsed.
    #[error("the key of the receipt is unusable")]
    Key(#[from] KeyError),
    /// The receipt is signed by another key than expected.
    #[error("the receipt is signed by `{found}`, expected `{expected}`")]
    OtherKey {
        expected: String,
        /// Key in the receipt.
        found: String,
    },
    /// The signature or the inclusion proof is invalid.
    #[error(transparent)]
    Proof(#[from] ReceiptError),
    /// The leaf does not record the end of the run in the receipt.
    #[error("the leaf of the receipt does not record the end of run `{run_id}`")]
    OtherLeaf {
        /// Id in the receipt.
        run_id: String,
    },
}

/// Why a run has no receipt.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum NoReceipt {
    /// The run does not exist.
    #[error("run `{run_id}` does not exist")]
    NoRun { run_id: String },
    /// The run has not ended.
    #[error("run `{run_id}` has not ended")]
    NotEnded { run_id: String },
    /// The leaf was moved to a segment file.
    #[error("the leaf of run `{run_id}` is in a segment file")]
    Archived { run_id: String },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl NoReceipt {
    /// Returns the error code that every transport reports.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NoRun { .. } | Self::Archived { .. } => ErrorCode::NotFound,
            Self::NotEnded { .. } => ErrorCode::NotEnded,
            Self::State(error) => error.code(),
        }
    }
}

impl RunStore<'_> {
    /// Returns the receipt of a run, after signing a checkpoint if none covers its leaf yet. Blocks the calling thread.
    pub fn receipt(&self, run_id: &str) -> Result<RunReceipt, NoReceipt> {
        let run =
            self.get(run_id)?.ok_or_else(|| NoReceipt::NoRun { run_id: crate::text::short_name(run_id) })?;
        let run_id = run.run_id;
        let leaf = run.receipt_leaf.ok_or_else(|| NoReceipt::NotEnded { run_id: run_id.clone() })?;
        let covered = |leaf| self.state.journal.receipt(leaf).map_err(StateError::from);
        let receipt = match covered(leaf)? {
            Some(receipt) => Some(receipt),
            None => {
                self.state.journal.checkpoint().wait().map_err(StateError::from)?;
                covered(leaf)?
            }
        };
        let receipt = receipt.ok_or_else(|| NoReceipt::Archived { run_id: run_id.clone() })?;
        let key = self.state.journal.key().map(ToString::to_string).unwrap_or_default();
        Ok(RunReceipt { schema: RECEIPT_SCHEMA.to_owned(), run_id, receipt, key })
    }
}

/// Verifies a receipt from its bytes alone; `expected` is the key of the machine it should come from.
///
/// Without `expected`, a valid receipt only proves that the holder of the key inside it signed it.
pub fn verify_receipt(
    bytes: &[u8],
    expected: Option<&CheckpointKey>,
) -> Result<VerifiedReceipt, RunReceiptError> {
    let RunReceipt { run_id, receipt, key, .. } = read(bytes)?;
    let key = CheckpointKey::parse(&key)?;
    if let Some(expected) = expected.filter(|expected| **expected != key) {
        let (expected, found) = (expected.to_string(), key.to_string());
        return Err(RunReceiptError::OtherKey { expected, found });
    }
    let event = receipt.verify(&key)?;
    let completed = event.kind == EventKind::RunCompleted;
    if !(completed || event.kind == EventKind::RunFailed) || event.run.as_deref() != Some(run_id.as_str()) {
        return Err(RunReceiptError::OtherLeaf { run_id: crate::text::short_name(&run_id) });
    }
    Ok(VerifiedReceipt {
        run_id,
        skill_id: event.skill.unwrap_or_default(),
        tool_id: event.subject.unwrap_or_default(),
        principal: event.actor.unwrap_or_default(),
        completed,
        at_ms: event.at_ms,
        details: event.details,
        sequence: receipt.proof.sequence,
        tree_size: receipt.proof.head.size,
        key: key.to_string(),
    })
}

fn read(bytes: &[u8]) -> Result<RunReceipt, RunReceiptError> {
    let not = |reason: String| RunReceiptError::NotAReceipt { reason };
    if bytes.len() > MAX_RECEIPT_BYTES {
        return Err(not(format!("it has more than {MAX_RECEIPT_BYTES} bytes")));
    }
    let receipt: RunReceipt = serde_json::from_slice(bytes).map_err(|error| not(error.to_string()))?;
    if receipt.schema == RECEIPT_SCHEMA {
        Ok(receipt)
    } else {
        Err(not(format!("its schema is not `{RECEIPT_SCHEMA}`")))
    }
}
