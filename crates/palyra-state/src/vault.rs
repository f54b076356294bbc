//! Changes of what is in the vault: one at a time, each with its event.

mod keys;
mod secrets;

pub use keys::{KeyRevoked, KeysError, RevocationStatement, RevokeKey, RotateKeys};
pub use secrets::PutSecret;

use palyra_journal::NewEvent;

use crate::error::StateError;
use crate::state::State;

impl State {
    /// Writes an event that has no rows of its own, and waits for it.
    fn tell(&self, event: NewEvent) -> Result<(), StateError> {
        self.journal.append(event).wait()?;
        Ok(())
    }
}
