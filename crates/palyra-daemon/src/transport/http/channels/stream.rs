//! Streams the messages of a channel: stored ones, then new ones.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::watch;

use super::super::sse::{Feed, event};
use crate::app::App;
use crate::to_api::ToApi;

/// Maximum number of messages per read.
const PAGE: usize = 100;

/// Messages from `next` on, until the channel is removed.
pub(super) struct ChannelFeed {
    pub(super) channel: String,
    pub(super) next: u64,
    pub(super) published: watch::Receiver<u64>,
}

impl Feed for ChannelFeed {
    const GREETING: &'static [u8] = b": the channel\n\n";

    async fn read(&mut self, app: &Arc<App>) -> Option<Vec<Bytes>> {
        let (app, channel, next) = (Arc::clone(app), self.channel.clone(), self.next);
        let read = tokio::task::spawn_blocking(move || {
            app.channels().get(&channel).ok()?;
            app.channels().messages(&channel, next, PAGE).ok()
        });
        let messages = read.await.ok()??;
        self.next = messages.last().map_or(self.next, |last| last.id + 1);
        Some(messages.iter().map(|message| event("message", Some(message.id), &message.to_api())).collect())
    }

    async fn wait(&mut self) -> Option<Vec<Bytes>> {
        self.published.changed().await.ok().map(|()| Vec::new())
    }
}
