//! Signs the current head of the journal.

use palyra_journal::Checkpoint;

use crate::error::StateError;
use crate::state::State;

impl State {
    /// Signs the current head of the journal and stores it in the vault.
    pub fn checkpoint(&self) -> Result<Checkpoint, StateError> {
        let checkpoint = self.journal.checkpoint().wait()?;
        self.keep_head()?;
        Ok(checkpoint)
    }
}
