//! The view of the last commit, readable by every thread without waiting for a commit in progress.

use std::sync::Arc;

use parking_lot::RwLock;
use tokio::sync::watch;

use super::View;
use crate::runs::RunRegistry;

/// The current view with its subscribers.
///
/// The journal's writer publishes a view after its commit and before it announces the commit's events, so
/// that a follower of the journal finds the effect of each event in the view.
pub(crate) struct PublishedView {
    view: RwLock<Arc<View>>,
    running: Arc<RunRegistry>,
    generation: watch::Sender<u64>,
}

impl PublishedView {
    pub(crate) fn new(view: &Arc<View>, running: Arc<RunRegistry>) -> Self {
        let generation = watch::Sender::new(view.generation());
        Self { view: RwLock::new(Arc::clone(view)), running, generation }
    }

    /// Returns the view of the last commit.
    pub(crate) fn get(&self) -> Arc<View> {
        Arc::clone(&self.view.read())
    }

    /// Returns a receiver of the generation of the view.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.generation.subscribe()
    }

    /// Replaces the view and cancels the runs that it no longer permits.
    pub(crate) fn publish(&self, view: &Arc<View>) {
        *self.view.write() = Arc::clone(view);
        self.running.end_unrunnable(view);
        self.generation.send_replace(view.generation());
    }
}
