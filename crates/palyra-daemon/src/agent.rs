//! Executes agent runs: writes the plans of `palyra-agent` to the state, then carries out their effects.
//!
//! Each unfinished run is a task with an inbox ([`driver`]). Only this task changes the run, so of two concurrent
//! answers to a pause the second one fails with `already_decided`.

mod answer;
mod call;
mod cards;
mod driver;
mod hub;
mod resume;
mod route;
mod sessions;
mod think;
mod write;

pub(crate) use answer::{Answerer, surface_of};
pub(crate) use hub::{SessionSignals, Signal};
pub(crate) use resume::resume_all;
pub(crate) use sessions::may_see;
pub use think::ModelSource;

use std::collections::HashMap;
use std::sync::Arc;

use palyra_models::ModelProvider;
use parking_lot::{Mutex, RwLock};
use tokio::sync::mpsc;

use driver::Command;
use hub::Hub;

/// Maximum number of runs that are in progress or waiting.
const MAX_OPEN_RUNS: usize = 1_024;

/// All agent runs of a daemon.
#[derive(Default)]
pub(crate) struct Agent {
    hub: Hub,
    /// The inbox of each unfinished run.
    inboxes: Mutex<HashMap<String, mpsc::Sender<Command>>>,
    /// Locks of sessions, each held while its session is read, changed and written.
    locks: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    model: RwLock<Option<ModelSource>>,
}

impl Agent {
    /// Returns the hub that clients of sessions follow.
    pub(crate) fn hub(&self) -> &Hub {
        &self.hub
    }

    /// Sets the model for sessions that name none.
    pub(crate) fn set_model(&self, source: Option<ModelSource>) {
        *self.model.write() = source;
    }

    /// Returns the model set with [`Self::set_model`].
    pub(crate) fn model(&self) -> Option<ModelSource> {
        self.model.read().clone()
    }

    fn inbox(&self, run_id: &str) -> Option<mpsc::Sender<Command>> {
        self.inboxes.lock().get(run_id).cloned()
    }

    /// Registers the inbox of a run; false where too many runs are open.
    fn open(&self, run_id: &str, inbox: mpsc::Sender<Command>) -> bool {
        let mut inboxes = self.inboxes.lock();
        if inboxes.len() >= MAX_OPEN_RUNS {
            return false;
        }
        inboxes.insert(run_id.to_owned(), inbox);
        true
    }

    fn close(&self, run_id: &str) {
        self.inboxes.lock().remove(run_id);
    }

    /// Returns the lock of a session; unused locks are dropped.
    fn lock_of(&self, session_id: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.locks.lock();
        locks.retain(|id, lock| id == session_id || Arc::strong_count(lock) > 1);
        Arc::clone(locks.entry(session_id.to_owned()).or_default())
    }
}

impl ModelSource {
    /// Creates a source from a provider and the name it knows its model by.
    pub fn new(model: impl Into<String>, provider: Arc<dyn ModelProvider>) -> Self {
        Self { model: model.into(), provider, small: false }
    }

    /// Makes the model only fill in arguments of tools that the router ranks.
    #[must_use]
    pub fn small(self) -> Self {
        Self { small: true, ..self }
    }
}
