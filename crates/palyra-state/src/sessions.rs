//! Agent sessions as sealed rows, whose content belongs to the agent.
//!
//! A change of a session, its run, events, pauses and surfaces is one [`SessionUpdate`], committed in one
//! transaction together with its leaves.

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
    /// Reads and changes the agent sessions of a state.
    SessionStore, sessions
}

impl SessionStore<'_> {
    /// Returns a new id that sorts by its creation time.
    pub fn new_id(&self, prefix: &'static str) -> Result<String, StateError> {
        crate::text::time_sorted_id(prefix, self.state.now_ms())
            .map_err(StateError::record("written", prefix))
    }
}
