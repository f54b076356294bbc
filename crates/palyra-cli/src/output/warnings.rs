//! Collects remarks during a command, so that each output format can place them.

use std::sync::Arc;

use parking_lot::Mutex;

/// A list of warnings, shared by all clones.
#[derive(Debug, Clone, Default)]
pub(crate) struct Warnings(Arc<Mutex<Vec<String>>>);

impl Warnings {
    pub(crate) fn add(&self, warning: String) {
        self.0.lock().push(warning);
    }

    /// Returns all warnings so far, oldest first.
    pub(crate) fn list(&self) -> Vec<String> {
        self.0.lock().clone()
    }
}
