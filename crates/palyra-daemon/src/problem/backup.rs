//! Problems of backups that cannot be made or restored.

use palyra_api::Problem;
use palyra_state::BackupError;

use super::ToProblem;

impl ToProblem for BackupError {
    fn to_problem(&self) -> Problem {
        match self {
            Self::State(error) => error.to_problem(),
            error => Problem::new(error.code(), error.to_string()).hints(error.hint()),
        }
    }
}
