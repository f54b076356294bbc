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

use palyra_agent::ToolCard;
use palyra_models::ModelProvider;
use palyra_router::ToolIndex;
use parking_lot::{Mutex, RwLock};
use tokio::sync::{mpsc, watch};

use driver::Command;
use hub::Hub;
use route::IndexCache;

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
    index: IndexCache,
    /// True until runs of an earlier daemon have their drivers.
    resuming: watch::Sender<bool>,
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

    /// Returns the search index of tools; `generation` is that of the state's view from before they were read.
    fn index(&self, generation: u64, cards: &[ToolCard]) -> Arc<ToolIndex> {
        self.index.get(generation, cards)
    }

    /// Sets whether runs of an earlier daemon still wait for their drivers.
    pub(crate) fn set_resuming(&self, resuming: bool) {
        self.resuming.send_replace(resuming);
        self.inboxes.lock().retain(|_, inbox| !inbox.is_closed());
    }

    /// Returns the inbox of an unfinished run, after the runs of an earlier daemon have their drivers.
    async fn inbox(&self, run_id: &str) -> Option<mpsc::Sender<Command>> {
        let known = || self.inboxes.lock().get(run_id).cloned();
        if let Some(inbox) = known() {
            return Some(inbox);
        }
        // The sender lives as long as `self`, so this only ends with the value.
        let _ = self.resuming.subscribe().wait_for(|resuming| !resuming).await;
        known()
    }

    /// Registers the inbox of a run and returns its commands; `None` if it has a driver or too many runs are open.
    fn open(&self, run_id: &str) -> Option<mpsc::Receiver<Command>> {
        let mut inboxes = self.inboxes.lock();
        if inboxes.len() >= MAX_OPEN_RUNS || inboxes.contains_key(run_id) {
            return None;
        }
        let (inbox, commands) = mpsc::channel(driver::INBOX);
        inboxes.insert(run_id.to_owned(), inbox);
        Some(commands)
    }

    /// Removes the inbox of a run whose driver ended. It is kept until the runs of an earlier daemon have their
    /// drivers, so that a row read before the end does not start a second one.
    fn close(&self, run_id: &str) {
        if !*self.resuming.borrow() {
            self.inboxes.lock().remove(run_id);
        }
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
