//! The events of a session, as the feed of a stream: stored ones by their numbers, passing ones as they come.

use std::sync::Arc;

use bytes::Bytes;
use palyra_api::sessions::SessionEvent;
use tokio::sync::broadcast::error::RecvError;

use super::super::sse::{Feed, event};
use crate::agent::{SessionSignals, Signal};
use crate::app::App;

/// Events read at once.
const PAGE: usize = 200;

/// The events of a session after one of them.
pub(super) struct SessionFeed {
    pub(super) session_id: String,
    pub(super) signals: SessionSignals,
    pub(super) after: u64,
}

impl Feed for SessionFeed {
    const GREETING: &'static [u8] = b": the session\n\n";

    async fn read(&mut self, app: &Arc<App>) -> Option<Vec<Bytes>> {
        let (app, session_id, after) = (Arc::clone(app), self.session_id.clone(), self.after);
        let read = tokio::task::spawn_blocking(move || {
            let sessions = app.state().sessions();
            let rows = sessions.events_after(&session_id, after, PAGE)?;
            // A session that was removed ends its streams.
            let there = !rows.is_empty() || sessions.session(&session_id)?.is_some();
            Ok::<_, palyra_state::StateError>((rows, there))
        });
        let (rows, there) = match read.await.ok()? {
            Ok(read) => read,
            Err(error) => {
                tracing::error!(%error, "a session cannot be read for an event stream");
                return None;
            }
        };
        if !there {
            return None;
        }
        let mut events = Vec::new();
        for row in rows {
            self.after = row.number;
            match serde_json::from_slice::<SessionEvent>(&row.bytes) {
                Ok(stored) => events.push(event(stored.body.name(), Some(row.number), &stored)),
                Err(error) => tracing::error!(%error, "an event of a session cannot be read"),
            }
        }
        Some(events)
    }

    async fn wait(&mut self) -> Option<Vec<Bytes>> {
        loop {
            match self.signals.recv().await {
                Ok(Signal { session_id, .. }) if session_id != self.session_id => {}
                Ok(Signal { event: None, .. }) | Err(RecvError::Lagged(_)) => return Some(Vec::new()),
                Ok(Signal { event: Some(passing), .. }) => {
                    return Some(vec![event(passing.body.name(), None, &*passing)]);
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }
}
