//! Sessions with the agent as sealed rows, whose content belongs to the agent.
//!
//! A change of a session, its run, its events, pauses and surfaces is one [`SessionUpdate`], which is written in one
//! transaction with the leaves that say so.

mod call_surfaces;
mod read;
mod rows;
mod write;

pub use call_surfaces::{CALL_SURFACE_LIFETIME_MS, CallSurfaceRow, MAX_CALL_SURFACES};
pub use read::{SessionFilter, StoredEvent};
pub use rows::{PauseRow, SessionRow, SessionRunRow, SurfaceRow};
pub use write::SessionUpdate;

use crate::error::StateError;

crate::state::store! {
    /// The sessions of one state root.
    SessionStore, sessions
}

impl SessionStore<'_> {
    /// Returns an id that sorts by the time it is made at.
    pub fn new_id(&self, prefix: &'static str) -> Result<String, StateError> {
        crate::text::time_sorted_id(prefix, self.state.now_ms())
            .map_err(StateError::record("written", prefix))
    }
}
