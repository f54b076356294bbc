//! Tapes of finished runs: small ones beside their receipts, others as spooled objects; the receipts have the digests.
//!
//! They are written without waiting for the disk: a killed process loses none, a power failure may, and every read is
//! hashed.

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

/// A tape of at most so many bytes is committed with its receipt; a file of its own would cost more than the run.
const SMALL_TAPE_BYTES: usize = 8 << 10;

/// A tape on its way to where it is kept.
pub enum KeptTape {
    /// Goes into the transaction of the receipt.
    Small(Sha256Digest, Vec<u8>),
    /// Is an object already.
    Spooled(Sha256Digest),
}

impl KeptTape {
    /// Keeps a tape; a run whose tape cannot be kept has a receipt all the same, which names none.
    pub async fn keep(state: &Arc<State>, tape: &Tape) -> Option<Self> {
        let bytes = tape.encode();
        if bytes.len() <= SMALL_TAPE_BYTES {
            return Some(Self::Small(Sha256Digest::of(&bytes), bytes));
        }
        let state = Arc::clone(state);
        let put = move || -> Result<_, StateError> {
            let digest = state.runs().tapes()?.put(&bytes)?;
            // The tape is kept whatever becomes of older ones.
            if let Err(error) = state.runs().keep_tapes_within_quota(bytes.len() as u64) {
                tracing::warn!(%error, "cannot remove old tapes");
            }
            Ok(digest)
        };
        tokio::task::spawn_blocking(put).await.ok()?.ok().map(Self::Spooled)
    }

    /// What the receipt and the run's row say.
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

/// Why there is no tape of a run.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum TapeProblem {
    /// There is no such run.
    #[error("run `{run_id}` does not exist")]
    NoRun { run_id: String },
    /// The run has none: it never began, was interrupted, or is too old.
    #[error("no tape of run `{run_id}`")]
    NoTape { run_id: String },
    /// What is there is not what the receipt names.
    #[error("the tape of run `{run_id}` failed verification")]
    Damaged {
        run_id: String,
        #[source]
        source: Arc<ObjectError>,
    },
    /// The bytes are no tape of this version.
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
    /// The word of this error on every face.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::NoRun { .. } | Self::NoTape { .. } => ErrorCode::NotFound,
            Self::Damaged { .. } | Self::Unreadable { .. } => ErrorCode::TapeDamaged,
            Self::State(error) => error.code(),
        }
    }
}

impl RunStore<'_> {
    /// The text of a run's tape, hashed now against its receipt; blocks the calling thread.
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

    /// The tape of a run; blocks the calling thread.
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

    /// Where larger tapes are kept; the folder is made when it is first needed.
    pub(crate) fn tapes(&self) -> Result<&ObjectStore, StateError> {
        if let Some(tapes) = self.state.tapes.get() {
            return Ok(tapes);
        }
        let spool = ObjectStore::create(&self.state.root.tapes())?.spooling();
        Ok(self.state.tapes.get_or_init(|| spool))
    }
}
