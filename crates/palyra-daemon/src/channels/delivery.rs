//! One task for each channel that leads somewhere.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use palyra_state::StateError;
use palyra_state::channels::{ChannelKind, ChannelRecord, MessageSeal, PublishedMessage};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::{ChannelOptions, file, webhook};
use crate::app::{App, until_stopping};
use crate::problem::sentence;

/// Messages read at once.
const PAGE: usize = 32;
const NO_MAC: &str =
    "the message has no MAC: an earlier version published it, or another program wrote it into `state.db`";
const WRONG_MAC: &str = "the message was changed in `state.db` after it was published";

/// Delivers what is published, until the daemon stops.
pub(crate) async fn deliver_channels(app: Arc<App>, options: ChannelOptions) {
    let (mut changes, mut stopping) = (app.state().follow_channels(), app.stopping());
    let mut lines: BTreeMap<String, Line> = BTreeMap::new();
    loop {
        let channels = app.state().channels();
        lines.retain(|name, line| channels.get(name) == Some(&line.channel));
        for channel in channels.values().filter(|channel| channel.kind.is_delivered()) {
            lines.entry(channel.name.clone()).or_insert_with(|| Line::start(&app, channel, options));
        }
        tokio::select! {
            biased;
            () = until_stopping(&mut stopping) => return,
            changed = changes.changed() => if changed.is_err() { return },
        }
    }
}

/// A channel under way; it ends when this is dropped.
struct Line {
    channel: ChannelRecord,
    task: JoinHandle<()>,
}

impl Line {
    fn start(app: &Arc<App>, channel: &ChannelRecord, options: ChannelOptions) -> Self {
        let mut sender = Sender { app: Arc::clone(app), channel: channel.clone(), options };
        let task = tokio::spawn(async move {
            if let Err(error) = sender.run().await {
                tracing::error!(
                    channel = sender.channel.name,
                    error = sentence(&error),
                    "messages are not delivered"
                );
            }
        });
        Self { channel: channel.clone(), task }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.task.abort();
    }
}

struct Sender {
    app: Arc<App>,
    channel: ChannelRecord,
    options: ChannelOptions,
}

impl Sender {
    async fn run(&mut self) -> Result<(), StateError> {
        let mut published = self.app.state().follow_channels();
        let cursor = self.blocking(|app, channel| app.state().channel_cursor(channel)).await?;
        let (mut next, mut attempts) = (cursor.next, cursor.attempts);
        if let Some(at) = cursor.retry_at_ms {
            self.wait(Duration::from_millis(at.saturating_sub(self.app.now_ms()).min(3_600_000))).await;
        }
        loop {
            let from = next;
            let messages = self
                .blocking(move |app, channel| app.state().channel_messages(&channel.name, from, PAGE))
                .await?;
            if messages.is_empty() {
                wait_for_more(&mut published).await?;
                continue;
            }
            for message in messages {
                self.send(&message, std::mem::take(&mut attempts)).await?;
                next = message.id + 1;
            }
        }
    }

    /// Sends one message until it is taken or given up.
    async fn send(&self, message: &PublishedMessage, before: u32) -> Result<(), StateError> {
        let (state, name) = (self.app.state(), &self.channel.name);
        // Given up at once: a person can still look at it and send it with `dead-letters retry`.
        if message.seal == MessageSeal::Missing {
            tracing::warn!(channel = name, message = message.id, "message without a MAC was not delivered");
            return state.settle_channel_message(message, before, Some(NO_MAC)).await;
        }
        let mut attempts = before;
        loop {
            attempts += 1;
            state.begin_channel_attempt(name, message.id, attempts).await?;
            let Err(reason) = try_once(&self.app, &self.channel, message).await else {
                return state.settle_channel_message(message, attempts, None).await;
            };
            if attempts >= self.options.max_attempts || message.seal == MessageSeal::Invalid {
                tracing::warn!(channel = name, message = message.id, reason, "a message was given up");
                return state.settle_channel_message(message, attempts, Some(&reason)).await;
            }
            let wait = self.options.wait_after(attempts);
            let at_ms = self.app.now_ms().saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
            state.note_channel_failure(name, at_ms, &reason).await?;
            self.wait(wait).await;
        }
    }

    async fn wait(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&App, &ChannelRecord) -> Result<T, StateError> + Send + 'static,
    ) -> Result<T, StateError> {
        let (app, channel) = (Arc::clone(&self.app), self.channel.clone());
        match tokio::task::spawn_blocking(move || work(&app, &channel)).await {
            Ok(done) => done,
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }
}

/// Sends a message where its channel leads, once.
pub(crate) async fn try_once(
    app: &Arc<App>,
    channel: &ChannelRecord,
    message: &PublishedMessage,
) -> Result<(), String> {
    if message.seal == MessageSeal::Invalid {
        return Err(WRONG_MAC.to_owned());
    }
    match &channel.kind {
        ChannelKind::Console => Ok(()),
        ChannelKind::File { path } => {
            let (path, message) = (path.clone(), message.clone());
            let written = tokio::task::spawn_blocking(move || file::append(&path, &message)).await;
            written.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
        }
        ChannelKind::Webhook { .. } => webhook::post(app, channel, message).await,
    }
}

async fn wait_for_more(published: &mut watch::Receiver<u64>) -> Result<(), StateError> {
    // The sender is the state itself, which outlives every channel.
    let _ = published.changed().await;
    Ok(())
}
