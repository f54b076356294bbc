//! What the owner keeps for schedules: definitions as sealed rows, and each fire once.
//!
//! When something is due, and what it does then, is decided above; here a fire is claimed on the one writer, so that
//! of two who want the same due time one gets it, whoever is killed in between.

mod budget;
mod definitions;
mod fires;
mod history;

pub use budget::{Budget, ObjectiveUse};
pub use definitions::{ControlKind, ControlRow};
pub use fires::{ClaimedFire, FireCause, FireEnd, FireKey, FireStatus, NewFire};
pub(crate) use history::close_interrupted_fires;
pub use history::{FirePage, FireQuery, FireRow};
