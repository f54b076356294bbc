//! Streams the events of a session: stored ones by number, transient ones as they are sent.

use std::sync::Arc;

use bytes::Bytes;
use palyra_api::sessions::SessionEvent;
use palyra_state::StateError;
use tokio::sync::broadcast::error::RecvError;

use super::super::sse::{Feed, event};
use crate::agent::{SessionSignals, Signal};
use crate::app::App;

/// Maximum number of events per read.
const PAGE: usize = 200;

/// Encoding of a session's events in a stream.
pub(super) trait Encoding: Send + 'static {
    /// Loads data that a stored event needs for its encoding; may block.
    fn prepare(&self, _: &App, _: &mut SessionEvent) -> Result<(), StateError> {
        Ok(())
    }

    /// Encodes an event.
    fn encode(&mut self, event: SessionEvent) -> Vec<Bytes>;
}

/// Encodes events without translation.
pub(super) struct AsTheyAre;

impl Encoding for AsTheyAre {
    fn encode(&mut self, one: SessionEvent) -> Vec<Bytes> {
        vec![event(one.body.name(), one.number, &one)]
    }
}

/// The events of a session after a given number.
pub(super) struct SessionFeed<E> {
    pub(super) session_id: String,
    pub(super) signals: SessionSignals,
    pub(super) after: u64,
    /// `None` while the thread that reads has it.
    pub(super) encoding: Option<E>,
}

impl<E: Encoding> Feed for SessionFeed<E> {
    const GREETING: &'static [u8] = b": the session\n\n";

    async fn read(&mut self, app: &Arc<App>) -> Option<Vec<Bytes>> {
        loop {
            let (events, last) = self.page(app).await?;
            let read = std::mem::replace(&mut self.after, last) != last;
            let encoding = self.encoding.as_mut()?;
            let bytes: Vec<Bytes> = events.into_iter().flat_map(|event| encoding.encode(event)).collect();
            // A page without encodable events is not the end of the stream.
            if !bytes.is_empty() || !read {
                return Some(bytes);
            }
        }
    }

    async fn wait(&mut self) -> Option<Vec<Bytes>> {
        loop {
            match self.signals.recv().await {
                Ok(Signal { session_id, .. }) if session_id != self.session_id => {}
                Ok(Signal { event: None, .. }) | Err(RecvError::Lagged(_)) => return Some(Vec::new()),
                Ok(Signal { event: Some(passing), .. }) => {
                    return Some(self.encoding.as_mut()?.encode(*passing));
                }
                Err(RecvError::Closed) => return None,
            }
        }
    }
}

impl<E: Encoding> SessionFeed<E> {
    /// Returns the next stored events with the number of the last one; `None` at the end of the stream.
    async fn page(&mut self, app: &Arc<App>) -> Option<(Vec<SessionEvent>, u64)> {
        let (app, session_id, after) = (Arc::clone(app), self.session_id.clone(), self.after);
        let encoding = self.encoding.take()?;
        let read = tokio::task::spawn_blocking(move || {
            let sessions = app.sessions();
            let rows = sessions.events_after(&session_id, after, PAGE)?;
            // The streams of a removed session end.
            let there = !rows.is_empty() || sessions.session(&session_id)?.is_some();
            let last = rows.last().map_or(after, |row| row.number);
            let mut events = Vec::with_capacity(rows.len());
            for row in rows {
                match serde_json::from_slice::<SessionEvent>(&row.bytes) {
                    Ok(mut stored) => {
                        stored.number = Some(row.number);
                        encoding.prepare(&app, &mut stored)?;
                        events.push(stored);
                    }
                    Err(error) => tracing::error!(%error, "cannot read an event of a session"),
                }
            }
            Ok::<_, StateError>((there.then_some((events, last)), encoding))
        });
        match read.await.ok()? {
            Ok((page, encoding)) => {
                self.encoding = Some(encoding);
                page
            }
            Err(error) => {
                tracing::error!(%error, "cannot read a session for an event stream");
                None
            }
        }
    }
}
