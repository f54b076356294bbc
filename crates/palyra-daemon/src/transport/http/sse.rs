//! Server-sent events: the stream type, and the checks before a stream is opened.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::Stream;
use http::HeaderValue;
use http::header::CONTENT_TYPE;
use palyra_api::Problem;
use palyra_common::{ErrorCode, Principal};
use serde::Serialize;
use tokio::sync::watch;

use super::answer::Failure;
use crate::app::{App, until_stopping};
use crate::streams::StreamPermit;

pub(super) const EVENT_STREAM: &str = "text/event-stream";
/// Interval of comments on a quiet stream, which show that it is still open.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// A source of events for a stream.
pub(super) trait Feed: Send + 'static {
    /// Comment at the start of a stream, which shows the client that it is open.
    const GREETING: &'static [u8];

    /// Reads available events; an empty list if the feed has caught up, and `None` at its end.
    fn read(&mut self, app: &Arc<App>) -> impl Future<Output = Option<Vec<Bytes>>> + Send;

    /// Waits until there may be more events, and returns those that were pushed; `None` at the end. Cancel-safe.
    fn wait(&mut self) -> impl Future<Output = Option<Vec<Bytes>>> + Send;
}

/// Opens a stream for a principal, whose number of streams is limited.
pub(super) fn open<F: Feed>(app: Arc<App>, principal: Arc<Principal>, feed: F) -> Result<Response, Failure> {
    let permit = app.streams().open(&principal.name).ok_or_else(|| {
        Problem::new(ErrorCode::TooManyStreams, "too many open event streams for this token")
    })?;
    let ready = VecDeque::from([Bytes::from_static(F::GREETING)]);
    let stream = EventStream { stopping: app.stopping(), app, principal, feed, ready, _permit: permit };
    let mut response = Response::new(Body::from_stream(stream.into_stream()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
    Ok(response)
}

/// One open stream: events of its feed, with heartbeats in between.
struct EventStream<F> {
    app: Arc<App>,
    principal: Arc<Principal>,
    stopping: watch::Receiver<bool>,
    feed: F,
    ready: VecDeque<Bytes>,
    _permit: StreamPermit,
}

impl<F: Feed> EventStream<F> {
    /// Converts the feed to a stream, which ends with the feed, with the daemon, or when its principal is no longer
    /// authorized. The heartbeat limits how late that is noticed.
    fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        futures::stream::unfold(self, |mut stream| async move {
            let bytes = stream.next().await?;
            stream.app.tokens().knows(&stream.principal).then_some((Ok(bytes), stream))
        })
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(bytes) = self.ready.pop_front() {
                return Some(bytes);
            }
            self.ready.extend(self.feed.read(&self.app).await?);
            if !self.ready.is_empty() {
                continue;
            }
            tokio::select! {
                biased;
                () = until_stopping(&mut self.stopping) => return None,
                more = self.feed.wait() => self.ready.extend(more?),
                () = tokio::time::sleep(HEARTBEAT) => return Some(Bytes::from_static(b": still here\n\n")),
            }
        }
    }
}

/// Encodes one event.
pub(super) fn event(name: &str, id: Option<u64>, data: &impl Serialize) -> Bytes {
    let data = serde_json::to_string(data).unwrap_or_default();
    let id = id.map(|id| format!("id: {id}\n")).unwrap_or_default();
    format!("{id}event: {name}\ndata: {data}\n\n").into()
}
