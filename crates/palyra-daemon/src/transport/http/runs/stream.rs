//! Streams the lines of a run: live while it is in progress, from its stored lines once it has ended.
//!
//! A line has the same number live and stored, which is the id of its event: a client that reconnects with the last id
//! continues after it, even if the run has ended. A client that is too slow misses lines beyond the stored ones, and
//! receives their number.

use std::sync::Arc;

use bytes::Bytes;
use palyra_api::runs::{RunEnd, RunLine};
use palyra_state::runs::{RunFollower, RunUpdate};
use serde_json::json;

use super::super::sse::{Feed, event};
use crate::app::App;

/// Maximum number of lines per read.
const PAGE: usize = 200;

/// The lines of a run from a given number until it ends; the last event is `finished`.
pub(super) struct RunFeed {
    pub(super) run_id: String,
    pub(super) live: Option<RunFollower>,
    pub(super) after: Option<u64>,
    pub(super) ended: bool,
}

impl Feed for RunFeed {
    const GREETING: &'static [u8] = b": the run\n\n";

    /// Reads the next page of stored lines, unless the run is followed live.
    async fn read(&mut self, app: &Arc<App>) -> Option<Vec<Bytes>> {
        if self.ended {
            return None;
        }
        if self.live.is_some() {
            return Some(Vec::new());
        }
        let (app, run_id, after) = (Arc::clone(app), self.run_id.clone(), self.after);
        let read = tokio::task::spawn_blocking(move || {
            let lines = app.runs().events_after(&run_id, after, PAGE)?;
            Ok::<_, palyra_state::StateError>((lines, app.runs().get(&run_id)?))
        });
        let (lines, run) = match read.await.ok()? {
            Ok(read) => read,
            Err(error) => {
                tracing::error!(%error, "cannot read a run for an event stream");
                return None;
            }
        };
        self.ended = lines.len() < PAGE;
        self.after = lines.last().map(|last| last.number).or(self.after);
        let end =
            run.filter(|_| self.ended).map(|run| event("finished", None, &RunEnd { status: run.status }));
        let lines = lines.into_iter().map(|line| {
            let line = RunLine { number: line.number, kind: line.kind, text: line.text };
            event("line", Some(line.number), &line)
        });
        let events: Vec<Bytes> = lines.chain(end).collect();
        (!events.is_empty()).then_some(events)
    }

    async fn wait(&mut self) -> Option<Vec<Bytes>> {
        let update = match &mut self.live {
            Some(live) => live.next().await,
            None => None,
        };
        let bytes = match update {
            Some(RunUpdate::Line { number, kind, text }) => {
                self.after = Some(number);
                event("line", Some(number), &RunLine { number, kind, text })
            }
            Some(RunUpdate::Missed { lines }) => event("missed", None, &json!({ "missed": lines })),
            Some(RunUpdate::Finished { status }) => {
                self.ended = true;
                event("finished", None, &RunEnd { status })
            }
            // It ended without an update, so its stored lines are read.
            None => {
                self.live = None;
                return Some(Vec::new());
            }
        };
        Some(vec![bytes])
    }
}
