//! Server-sent events: the one stream type, and what opens it.

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

/// The source of the events of a stream.
pub(super) trait Feed: Send + 'static {
    /// The comment a stream begins with, so that a client sees it open.
    const GREETING: &'static [u8];

    /// Reads what is there; nothing where the feed has caught up, and `None` at its end.
    fn read(&mut self, app: &Arc<App>) -> impl Future<Output = Option<Vec<Bytes>>> + Send;

    /// Waits until there may be more, and gives what came with it; `None` at its end. Safe to cancel.
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
    /// Ends with its feed, with the daemon, or when its principal is not admitted any more; the heartbeat bounds how
    /// late that is seen.
    fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        futures::stream::unfold(self, |mut stream| async move {
            let bytes = stream.next().await?;
            stream.app.state().tokens().knows(&stream.principal).then_some((Ok(bytes), stream))
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
