//! Detects changes of the tool list after commits; a change is announced only if the client can see it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Weak};

use palyra_state::State;
use tokio::sync::watch;

use super::catalogue::{Structure, tools};
use crate::app::{App, until_stopping};

/// The tool list as one client knows it.
pub(super) struct ToolChanges {
    app: Weak<App>,
    changes: watch::Receiver<u64>,
    stopping: watch::Receiver<bool>,
    known: u64,
}

impl ToolChanges {
    /// Starts watching now.
    pub(super) fn new(app: &Arc<App>) -> Self {
        // Subscribed before the first fingerprint, so that a change in between is checked again instead of missed.
        let (changes, stopping) = (app.state().changes(), app.stopping());
        Self { app: Arc::downgrade(app), changes, stopping, known: fingerprint(app.state()) }
    }

    /// Waits for the next change; returns `None` once the daemon stops.
    pub(super) async fn next(&mut self) -> Option<()> {
        loop {
            tokio::select! {
                biased;
                () = until_stopping(&mut self.stopping) => return None,
                changed = self.changes.changed() => changed.ok()?,
            }
            let app = self.app.upgrade()?;
            let now = tokio::task::spawn_blocking(move || fingerprint(app.state())).await.ok()?;
            if std::mem::replace(&mut self.known, now) != now {
                return Some(());
            }
        }
    }
}

fn fingerprint(state: &State) -> u64 {
    let mut hasher = DefaultHasher::new();
    for tool in tools(state, Structure::Any) {
        serde_json::to_string(&tool).unwrap_or_default().hash(&mut hasher);
    }
    hasher.finish()
}
