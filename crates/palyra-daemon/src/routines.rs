//! Scheduled calls: routines use the call pipeline, as their own principal.

pub(crate) mod convert;
mod re_audit;
mod runner;

use std::sync::{Arc, Weak};

use palyra_control_plane::{Clock, Fires, Scheduler, StateStore};
use palyra_state::State;
use tokio::sync::watch;

use crate::app::{App, until_stopping};
use runner::Runner;

/// The scheduler and the stores of routines and objectives.
pub(crate) struct Control {
    store: StateStore,
    fires: Arc<Fires>,
    changes: watch::Sender<u64>,
}

impl Control {
    pub(crate) fn new(app: Weak<App>, state: &Arc<State>) -> Self {
        let store = StateStore::new(Arc::clone(state));
        let fires = Fires::new(Arc::new(store.clone()), Arc::new(Runner(app)));
        Self { store, fires, changes: watch::Sender::new(0) }
    }

    /// Returns the store of definitions.
    pub(crate) fn store(&self) -> &StateStore {
        &self.store
    }

    /// Returns the part that carries out fires.
    pub(crate) fn fires(&self) -> &Arc<Fires> {
        &self.fires
    }

    /// Notifies the scheduler that a definition changed.
    pub(crate) fn changed(&self) {
        self.changes.send_modify(|changes| *changes = changes.wrapping_add(1));
    }
}

/// Fires due routines until the daemon stops; one-shot commands never call this.
pub async fn schedule(app: Arc<App>, clock: Arc<dyn Clock>) {
    let mut stopping = app.stopping();
    let control = app.control();
    let scheduler = Scheduler::new(Arc::clone(control.fires()), clock, control.changes.subscribe());
    scheduler.run(async move { until_stopping(&mut stopping).await }).await;
}
