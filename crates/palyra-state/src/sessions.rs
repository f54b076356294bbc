//! Sessions with the agent as sealed rows, whose inside belongs to whoever runs the agent.
//!
//! A change of a session, its run, its events, pauses and surfaces is one [`SessionUpdate`], which is written in one
//! transaction with the leaves that say so.

mod read;
mod rows;
mod write;

pub use read::{SessionFilter, StoredEvent};
pub use rows::{PauseRow, SessionRow, SessionRunRow, SurfaceRow};
pub use write::SessionUpdate;

use crate::error::StateError;
use crate::state::State;

/// The sessions of one state root.
#[derive(Clone, Copy)]
pub struct SessionStore<'s> {
    state: &'s State,
}

impl State {
    /// The sessions with the agent.
    pub fn sessions(&self) -> SessionStore<'_> {
        SessionStore { state: self }
    }
}

impl SessionStore<'_> {
    /// Returns an id that sorts by the time it is made at.
    pub fn new_id(&self, prefix: &'static str) -> Result<String, StateError> {
        crate::text::time_sorted_id(prefix, self.state.now_ms())
            .map_err(StateError::record("written", prefix))
    }
}
