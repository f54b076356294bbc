//! Remarks collected on the way, so that each form of output can put them where they belong.

use std::sync::Arc;

use parking_lot::Mutex;

/// A list that all clones share.
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
