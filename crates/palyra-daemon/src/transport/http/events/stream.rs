//! Streams the events of the journal: stored ones, then new ones.

use std::sync::Arc;

use bytes::Bytes;
use palyra_journal::{Follower, Page, Query, RecordedEvent};

use super::super::sse::{Feed, event};
use super::topics::Topics;
use crate::app::App;
use crate::to_api::ToApi;

/// Maximum number of events per read.
const PAGE: usize = 200;

/// Events from `next` on, until the journal cannot be read.
pub(super) struct JournalFeed {
    pub(super) follower: Follower,
    pub(super) topics: Topics,
    pub(super) next: u64,
}

impl Feed for JournalFeed {
    const GREETING: &'static [u8] = b": the journal\n\n";

    async fn read(&mut self, app: &Arc<App>) -> Option<Vec<Bytes>> {
        let query = Query {
            from_sequence: Some(self.next),
            kinds: self.topics.kinds(),
            limit: PAGE,
            ..Query::default()
        };
        let app = Arc::clone(app);
        let read = tokio::task::spawn_blocking(move || app.journal().query(&query)).await.ok()?;
        let Page { events, head, next, .. } = match read {
            Ok(page) => page,
            Err(error) => {
                tracing::error!(%error, "cannot read the journal for an event stream");
                return None;
            }
        };
        // A page that is not full reached the head.
        self.next = match (next.is_some(), events.last()) {
            (true, Some(last)) => last.leaf.sequence + 1,
            _ => head.size.max(self.next),
        };
        Some(events.iter().map(encode).collect())
    }

    async fn wait(&mut self) -> Option<Vec<Bytes>> {
        self.follower.next().await.ok().map(|_| Vec::new())
    }
}

fn encode(recorded: &RecordedEvent) -> Bytes {
    let shown = recorded.to_api();
    event(&shown.kind, Some(shown.sequence), &shown)
}
