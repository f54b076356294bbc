//! The stream itself: what is in the journal first, then whatever comes, with a heartbeat in between.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures::Stream;
use palyra_journal::{Follower, Page, Query, RecordedEvent};
use tokio::sync::watch;

use super::super::sse::{Speaks, event, heartbeat, stream};
use super::topics::Topics;
use crate::access::Principal;
use crate::app::{App, until_stopping};
use crate::streams::StreamPermit;
use crate::to_api::ToApi;

/// Events read at once.
const PAGE: usize = 200;

/// Where one stream stands.
struct StreamState {
    app: Arc<App>,
    follower: Follower,
    stopping: watch::Receiver<bool>,
    topics: Topics,
    next: u64,
    ready: VecDeque<RecordedEvent>,
    greeted: bool,
    _permit: StreamPermit,
}

/// Events from `next` on, until the daemon stops or the journal cannot be read.
pub(super) fn event_stream(
    app: Arc<App>,
    topics: Topics,
    next: u64,
    hearer: Principal,
    permit: StreamPermit,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
    let (follower, stopping) = (app.state().journal().follow(), app.stopping());
    let ready = VecDeque::new();
    let shared = Arc::clone(&app);
    let state = StreamState { app, follower, stopping, topics, next, ready, greeted: false, _permit: permit };
    stream(shared, hearer, state)
}

impl Speaks for StreamState {
    async fn next_bytes(&mut self) -> Option<Bytes> {
        if !std::mem::replace(&mut self.greeted, true) {
            return Some(Bytes::from_static(b": the journal\n\n"));
        }
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(written(&event));
            }
            if self.read().await? {
                continue;
            }
            tokio::select! {
                biased;
                () = until_stopping(&mut self.stopping) => return None,
                head = self.follower.next() => { head.ok()?; }
                bytes = heartbeat() => return Some(bytes),
            }
        }
    }
}

impl StreamState {
    /// Reads the next page; says whether there may be more to write at once.
    async fn read(&mut self) -> Option<bool> {
        let query = Query {
            from_sequence: Some(self.next),
            kinds: self.topics.kinds(),
            limit: PAGE,
            ..Query::default()
        };
        let app = Arc::clone(&self.app);
        let read = tokio::task::spawn_blocking(move || app.state().journal().query(&query)).await.ok()?;
        let Page { events, head, next, .. } = match read {
            Ok(page) => page,
            Err(error) => {
                tracing::error!(%error, "the journal cannot be read for an event stream");
                return None;
            }
        };
        // A page that is not full was read up to the head.
        self.next = match (next.is_some(), events.last()) {
            (true, Some(last)) => last.leaf.sequence + 1,
            _ => head.size.max(self.next),
        };
        self.ready = events.into();
        Some(!self.ready.is_empty())
    }
}

fn written(recorded: &RecordedEvent) -> Bytes {
    let shown = recorded.to_api();
    event(&shown.kind, Some(shown.sequence), &shown)
}
