//! What the owner keeps for schedules: definitions as sealed rows, and each fire once.
//!
//! Due times and actions are decided above; here a fire is claimed on the one writer, so that exactly one of two
//! claims of the same due time succeeds, whichever process is killed.

mod budget;
mod definitions;
mod fires;
mod history;

pub use budget::{Budget, ObjectiveUse};
pub use definitions::{ControlKind, ControlRow};
pub use fires::{ClaimedFire, FireCause, FireEnd, FireKey, FireStatus, NewFire};
pub(crate) use history::close_interrupted_fires;
pub use history::{FirePage, FireQuery, FireRow};

crate::state::store! {
    /// Routines and objectives of a state: their definitions, their fires and what they used.
    ControlStore, control
}
