//! The view of the last commit, for everybody who asks: nobody waits for a commit under way.

use std::sync::{Arc, PoisonError, RwLock};

use super::View;

/// Where the present view is found.
pub(crate) struct PresentView(RwLock<Arc<View>>);

impl PresentView {
    pub(crate) fn new(view: &Arc<View>) -> Self {
        Self(RwLock::new(Arc::clone(view)))
    }

    /// The view of the last commit.
    pub(crate) fn get(&self) -> Arc<View> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// What everybody sees from now on.
    pub(crate) fn show(&self, view: &Arc<View>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(view);
    }
}
