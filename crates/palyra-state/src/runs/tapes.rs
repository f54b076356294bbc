//! Tapes of finished runs: small ones beside their receipts, others as spooled objects; receipts contain their digests.
//!
//! Writes do not wait for the disk: a killed process loses no tape, a power failure may, and every read
//! verifies the digest.

use palyra_common::ErrorCode;
use std::sync::Arc;

use palyra_journal::JournalError;
use palyra_plugins_runtime::{Tape, TapeError};
use palyra_skills::Sha256Digest;
use rusqlite::{Connection, OptionalExtension, params};

use super::RunStore;
use crate::db::signed;
use crate::error::StateError;
use crate::objects::{ObjectError, ObjectStore};
use crate::state::State;

/// Maximum size in bytes of a tape that is committed with its receipt; writing a file for it would cost more
/// than the run.
const SMALL_TAPE_BYTES: usize = 8 << 10;

/// A tape that is stored with the receipt of its run.
pub enum KeptTape {
    /// Committed in the transaction of the receipt.
    Small(Sha256Digest, Vec<u8>),
    /// Already stored as an object.
    Spooled(Sha256Digest),
}

impl KeptTape {
    /// Stores a tape, or returns `None` if that fails: the run still gets a receipt, which then names no tape.
    pub async fn keep(state: &Arc<State>, tape: &Tape) -> Option<Self> {
        let bytes = tape.encode();
        if bytes.len() <= SMALL_TAPE_BYTES {
            return Some(Self::Small(Sha256Digest::of(&bytes), bytes));
        }
        let state = Arc::clone(state);
        let put = move || -> Result<_, StateError> {
            let digest = state.runs().tapes()?.put(&bytes)?;
            // The new tape is stored even if removing older ones fails.
            if let Err(error) = state.runs().keep_tapes_within_quota(bytes.len() as u64) {
                tracing::warn!(%error, "cannot remove old tapes");
            }
            Ok(digest)
        };
        tokio::task::spawn_blocking(put).await.ok()?.ok().map(Self::Spooled)
    }

    /// Returns the digest for the receipt and the row of the run.
    pub fn digest(&self) -> Sha256Digest {
        match self {
            Self::Small(digest, _) | Self::Spooled(digest) => *digest,
        }
    }

    /// Writes a small tape beside the receipt.
    pub(super) fn write(&self, sql: &Connection, leaf: i64) -> rusqlite::Result<()> {
        if let Self::Small(_, bytes) = self {
            let mut insert = sql.prepare_cached("INSERT INTO run_tapes (leaf, bytes) VALUES (?1, ?2)")?;
            insert.execute(params![leaf, bytes])?;
        }
        Ok(())
    }
}

/// Why the tape of a run cannot be read.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum TapeProblem {
    /// The run does not exist.
    #[error("run `{run_id}` does not exist")]
    NoRun { run_id: String },
    /// No tape is stored: the run never started, was interrupted, or was trimmed.
    #[error("no tape of run `{run_id}`")]
    NoTape { run_id: String },
    /// The stored bytes do not match the digest in the receipt.
    #[error("the tape of run `{run_id}` failed verification")]
    Damaged {
        run_id: String,
        #[source]
        source: Arc<ObjectError>,
    },
    /// The bytes are not a tape of this version.
    #[error("cannot read the tape of run `{run_id}`")]
    Unreadable {
        run_id: String,
        #[source]
        source: TapeError,
    },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl TapeProblem {
    /// Returns the error code that every transport reports.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NoRun { .. } | Self::NoTape { .. } => ErrorCode::NotFound,
            Self::Damaged { .. } | Self::Unreadable { .. } => ErrorCode::TapeDamaged,
            Self::State(error) => error.code(),
        }
    }
}

impl RunStore<'_> {
    /// Returns the encoded tape of a run after verifying its digest. Blocks the calling thread.
    pub fn tape_bytes(&self, run_id: &str) -> Result<Arc<[u8]>, TapeProblem> {
        let run = self.get(run_id)?;
        let run = run.ok_or_else(|| TapeProblem::NoRun { run_id: crate::text::short_name(run_id) })?;
        let run_id = run.run_id;
        let digest = run.tape.and_then(|digest| digest.parse::<Sha256Digest>().ok());
        let digest = digest.ok_or_else(|| TapeProblem::NoTape { run_id: run_id.clone() })?;
        if let Some(bytes) = run.receipt_leaf.map(|leaf| self.small_tape(leaf)).transpose()?.flatten() {
            return match Sha256Digest::of(&bytes) {
                found if found == digest => Ok(bytes.into()),
                found => {
                    let source = ObjectError::Changed { expected: digest, found }.into();
                    Err(TapeProblem::Damaged { run_id, source })
                }
            };
        }
        match self.tapes()?.get(&digest) {
            Err(ObjectError::Missing { .. }) => Err(TapeProblem::NoTape { run_id }),
            found => found.map_err(|source| TapeProblem::Damaged { run_id, source: source.into() }),
        }
    }

    /// Returns the decoded tape of a run. Blocks the calling thread.
    pub fn tape(&self, run_id: &str) -> Result<Tape, TapeProblem> {
        let bytes = self.tape_bytes(run_id)?;
        let unreadable = |source| TapeProblem::Unreadable { run_id: run_id.to_owned(), source };
        Tape::decode(&bytes).map_err(unreadable)
    }

    fn small_tape(&self, leaf: u64) -> Result<Option<Vec<u8>>, StateError> {
        let sql = "SELECT bytes FROM run_tapes WHERE leaf = ?1";
        Ok(self.state.journal.read(|connection| {
            let found = connection.query_row(sql, [signed(leaf)], |row| row.get(0)).optional();
            found.map_err(JournalError::sqlite("read a tape"))
        })?)
    }

    /// Returns the store of larger tapes, creating its directory on first use.
    pub(crate) fn tapes(&self) -> Result<&ObjectStore, StateError> {
        if let Some(tapes) = self.state.tapes.get() {
            return Ok(tapes);
        }
        let spool = ObjectStore::create(&self.state.root.tapes())?.spooling();
        Ok(self.state.tapes.get_or_init(|| spool))
    }
}
