//! Tapes of finished runs: spooled objects, whose digests are in the receipts.
//!
//! They are written without waiting for the disk: a killed process loses none, a power failure may, and every read is
//! hashed.

use std::sync::Arc;

use palyra_plugins_runtime::{Tape, TapeError};
use palyra_skills::Sha256Digest;

use crate::error::StateError;
use crate::objects::{ObjectError, ObjectStore};
use crate::state::State;

/// Why there is no tape of a run.
#[derive(Debug, thiserror::Error)]
pub enum TapeProblem {
    /// There is no such run.
    #[error("there is no run `{run_id}`")]
    NoRun {
        /// The id, escaped.
        run_id: String,
    },
    /// The run has none: it never began, was interrupted, or is too old.
    #[error("there is no tape of run `{run_id}`")]
    NoTape {
        /// The run.
        run_id: String,
    },
    /// What is there is not what the receipt names.
    #[error("the tape of run `{run_id}` cannot be believed")]
    Damaged {
        /// The run.
        run_id: String,
        /// Why.
        #[source]
        source: Arc<ObjectError>,
    },
    /// The bytes are no tape of this version.
    #[error("the tape of run `{run_id}` cannot be read")]
    Unreadable {
        /// The run.
        run_id: String,
        /// Why.
        #[source]
        source: TapeError,
    },
    /// The state itself.
    #[error(transparent)]
    State(#[from] StateError),
}

impl TapeProblem {
    /// The word of this error on every face.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoRun { .. } | Self::NoTape { .. } => "not_found",
            Self::Damaged { .. } | Self::Unreadable { .. } => "tape_damaged",
            Self::State(error) => error.code(),
        }
    }
}

impl State {
    /// The text of a run's tape, hashed now against its receipt; blocks the calling thread.
    pub fn tape_bytes(&self, run_id: &str) -> Result<Arc<[u8]>, TapeProblem> {
        let run = self.run(run_id)?;
        let run = run.ok_or_else(|| TapeProblem::NoRun { run_id: crate::text::short_name(run_id) })?;
        let run_id = run.run_id;
        let digest = run.tape.and_then(|digest| digest.parse::<Sha256Digest>().ok());
        let digest = digest.ok_or_else(|| TapeProblem::NoTape { run_id: run_id.clone() })?;
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

    /// Where tapes are kept; the folder is made when it is first needed.
    pub(crate) fn tapes(&self) -> Result<&ObjectStore, StateError> {
        if let Some(tapes) = self.tapes.get() {
            return Ok(tapes);
        }
        let spool = ObjectStore::create(&self.root.tapes())?.spooling();
        Ok(self.tapes.get_or_init(|| spool))
    }
}
