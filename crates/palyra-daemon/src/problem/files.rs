//! Problems of imported statements, checkpoints and keys that are invalid.

use palyra_api::Problem;
use palyra_common::ErrorCode;
use palyra_journal::CheckpointError;
use palyra_skills::signing::{KeyError, KeySetError};
use palyra_skills::trust::TrustStatementError;

use super::ToProblem;
use super::chain::sentence;

impl ToProblem for TrustStatementError {
    fn to_problem(&self) -> Problem {
        Problem::new(ErrorCode::BadStatement, format!("the statement was rejected: {}", sentence(self)))
            .hint("get the file again from its signer")
    }
}

impl ToProblem for CheckpointError {
    fn to_problem(&self) -> Problem {
        Problem::new(ErrorCode::BadCheckpoint, sentence(self)).hint(self.hint())
    }
}

impl ToProblem for KeyError {
    fn to_problem(&self) -> Problem {
        Problem::new(ErrorCode::Usage, sentence(self)).hint(self.hint())
    }
}

impl ToProblem for KeySetError {
    fn to_problem(&self) -> Problem {
        Problem::new(ErrorCode::Usage, sentence(self))
    }
}
