//! Messages of a channel: what is kept first, then whatever comes, with a heartbeat in between.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures::Stream;
use palyra_state::channels::PublishedMessage;
use tokio::sync::watch;

use super::super::sse::{Speaks, event, heartbeat, stream};
use crate::access::Principal;
use crate::app::{App, until_stopping};
use crate::streams::StreamPermit;
use crate::to_api::ToApi;

/// Messages read at once.
const PAGE: usize = 100;

struct StreamState {
    app: Arc<App>,
    channel: String,
    published: watch::Receiver<u64>,
    stopping: watch::Receiver<bool>,
    next: u64,
    ready: VecDeque<PublishedMessage>,
    greeted: bool,
    _permit: StreamPermit,
}

/// Messages from `next` on, until the daemon stops or the channel is gone.
pub(super) fn channel_stream(
    app: Arc<App>,
    channel: String,
    next: u64,
    published: watch::Receiver<u64>,
    hearer: Principal,
    permit: StreamPermit,
) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
    let (stopping, shared) = (app.stopping(), Arc::clone(&app));
    let ready = VecDeque::new();
    let state =
        StreamState { app, channel, published, stopping, next, ready, greeted: false, _permit: permit };
    stream(shared, hearer, state)
}

impl Speaks for StreamState {
    async fn next_bytes(&mut self) -> Option<Bytes> {
        if !std::mem::replace(&mut self.greeted, true) {
            return Some(Bytes::from_static(b": the channel\n\n"));
        }
        loop {
            if let Some(published) = self.ready.pop_front() {
                return Some(written(&published));
            }
            if self.read().await? {
                continue;
            }
            tokio::select! {
                biased;
                () = until_stopping(&mut self.stopping) => return None,
                changed = self.published.changed() => changed.ok()?,
                bytes = heartbeat() => return Some(bytes),
            }
        }
    }
}

impl StreamState {
    /// Reads on; says whether there was anything.
    async fn read(&mut self) -> Option<bool> {
        let (app, channel, next) = (Arc::clone(&self.app), self.channel.clone(), self.next);
        let read = tokio::task::spawn_blocking(move || {
            app.state().channel(&channel).ok()?;
            app.state().channel_messages(&channel, next, PAGE).ok()
        });
        let messages = read.await.ok()??;
        self.next = messages.last().map_or(self.next, |last| last.id + 1);
        self.ready.extend(messages);
        Some(!self.ready.is_empty())
    }
}

fn written(published: &PublishedMessage) -> Bytes {
    event("message", Some(published.id), &published.to_api())
}
