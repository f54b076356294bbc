//! What a run says: live while it is under way, from its kept lines once it has ended.
//!
//! A line has one number, live and kept, which is the id of its event: whoever comes back with the last one it saw goes
//! on after it, also when the run has ended meanwhile. Somebody too slow for what a run says misses lines past those that
//! are kept, and is told how many.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures::Stream;
use palyra_api::runs::{RunEnd, RunLine};
use palyra_state::call::{RunFollower, RunUpdate};
use serde_json::json;
use tokio::sync::watch;

use super::super::sse::{Speaks, event, heartbeat, stream};
use crate::access::Principal;
use crate::app::{App, until_stopping};
use crate::streams::StreamPermit;

/// Lines read at once.
const PAGE: usize = 200;

struct StreamState {
    app: Arc<App>,
    run_id: String,
    stopping: watch::Receiver<bool>,
    live: Option<RunFollower>,
    after: Option<u64>,
    ready: VecDeque<Bytes>,
    greeted: bool,
    ended: bool,
    _permit: StreamPermit,
}

/// What a run says until it ends; the last event is `finished`.
pub(super) fn run_stream(
    app: Arc<App>,
    run_id: String,
    live: Option<RunFollower>,
    after: Option<u64>,
    hearer: Principal,
    permit: StreamPermit,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
    let shared = Arc::clone(&app);
    let state = StreamState {
        stopping: app.stopping(),
        app,
        run_id,
        live,
        after,
        ready: VecDeque::new(),
        greeted: false,
        ended: false,
        _permit: permit,
    };
    stream(shared, hearer, state)
}

impl Speaks for StreamState {
    async fn next_bytes(&mut self) -> Option<Bytes> {
        if !std::mem::replace(&mut self.greeted, true) {
            return Some(Bytes::from_static(b": the run\n\n"));
        }
        loop {
            if let Some(bytes) = self.ready.pop_front() {
                return Some(bytes);
            }
            if self.ended {
                return None;
            }
            let Some(live) = &mut self.live else {
                self.read_kept().await?;
                continue;
            };
            let update = tokio::select! {
                biased;
                () = until_stopping(&mut self.stopping) => return None,
                update = live.next() => update,
                bytes = heartbeat() => return Some(bytes),
            };
            match update {
                Some(RunUpdate::Line { number, kind, text }) => {
                    self.after = Some(number);
                    return Some(event("line", Some(number), &RunLine { number, kind, text }));
                }
                Some(RunUpdate::Missed { lines }) => {
                    return Some(event("missed", None, &json!({ "missed": lines })));
                }
                Some(RunUpdate::Finished { status }) => {
                    self.ended = true;
                    return Some(event("finished", None, &RunEnd { status }));
                }
                // It ended without a word; what is kept of it says how.
                None => self.live = None,
            }
        }
    }
}

impl StreamState {
    /// Reads the next page of kept lines; after the last one comes the end.
    async fn read_kept(&mut self) -> Option<()> {
        let (app, run_id, after) = (Arc::clone(&self.app), self.run_id.clone(), self.after);
        let read = tokio::task::spawn_blocking(move || {
            let lines = app.state().run_events_after(&run_id, after, PAGE)?;
            Ok::<_, palyra_state::StateError>((lines, app.state().run(&run_id)?))
        });
        let (lines, run) = match read.await.ok()? {
            Ok(read) => read,
            Err(error) => {
                tracing::error!(%error, "a run cannot be read for an event stream");
                return None;
            }
        };
        self.ended = lines.len() < PAGE;
        self.after = lines.last().map(|last| last.number).or(self.after);
        self.ready.extend(lines.into_iter().map(|line| {
            let line_event = RunLine { number: line.number, kind: line.kind, text: line.text };
            event("line", Some(line_event.number), &line_event)
        }));
        if self.ended {
            self.ready.extend(run.map(|run| event("finished", None, &RunEnd { status: run.status })));
        }
        Some(())
    }
}
