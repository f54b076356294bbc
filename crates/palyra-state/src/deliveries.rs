//! Deliveries: events to observers and messages to channels, as ordered lanes with a cursor and dead letters.
//!
//! A lane is an observer or a channel. Its items have numbers: an event its sequence in the journal, a
//! message its id. The cursor of a lane is the number of the first item that was neither delivered nor given
//! up. It moves in the transaction that records the outcome, so a killed daemon repeats at most the item in progress.

mod cursors;
mod error;
mod lane;
mod letters;

pub use cursors::DeliveryCursor;
pub(crate) use cursors::{advance, forget};
pub use error::DeliveryError;
pub use lane::{Lane, LaneFilter, LaneItem, LaneKey, LaneKind, LaneTarget};
pub use letters::DeadLetter;

use palyra_journal::{Durability, JournalError, JournalTransaction};

use crate::error::StateError;

/// Maximum length of a stored failure reason, in bytes.
const MAX_REASON: usize = 500;

crate::state::store! {
    /// Moves the cursors and stores the dead letters of a state.
    DeliveryStore, deliveries
}

impl DeliveryStore<'_> {
    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut JournalTransaction<'_>) -> Result<T, JournalError> + Send + 'static,
    ) -> Result<T, StateError> {
        self.state.journal.transaction(Durability::Normal, work).await.map_err(StateError::from)
    }
}
