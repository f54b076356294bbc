//! Storage of the scheduler: definitions as sealed rows, and fires.
//!
//! The scheduler computes due times and actions. A fire is claimed on the single writer, so that of two
//! claims of the same due time exactly one succeeds, even if a process is killed.

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
    /// Stores definitions, fires and budgets of routines and objectives.
    ControlStore, control
}
