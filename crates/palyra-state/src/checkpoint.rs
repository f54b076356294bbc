//! Signing the journal as it is now.

use palyra_journal::Checkpoint;

use crate::error::StateError;
use crate::state::State;

impl State {
    /// Signs the journal as it is, and lets the vault learn its head.
    pub fn checkpoint(&self) -> Result<Checkpoint, StateError> {
        let checkpoint = self.journal.checkpoint().wait()?;
        self.keep_head()?;
        Ok(checkpoint)
    }
}
