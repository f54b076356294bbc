//! One gRPC connection over HTTP/2, with limits for its memory and for its idle time.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use http::HeaderValue;
use http::header::HOST;
use hyper::body::Incoming as IncomingBody;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tower::ServiceExt;

use super::connection::{ConnectionLimits, Origin};
use super::error::ServerError;
use super::paced_body::{PacedBody, Untaken};
use super::watched_stream::WatchedStream;
use crate::app::until_stopping;
use crate::transport::held_body::HeldBody;

/// Maximum number of concurrent calls of one connection.
const MAX_STREAMS: u32 = 100;
/// Maximum size of the head of a call in bytes.
const MAX_HEAD_BYTES: u32 = 16 << 10;
/// Maximum unread bytes of one call.
const STREAM_WINDOW_BYTES: u32 = 64 << 10;
/// Maximum unread bytes of all calls of a connection.
const CONNECTION_WINDOW_BYTES: u32 = 256 << 10;
/// Maximum bytes of a response that are buffered for the peer.
const MAX_SEND_BYTES: usize = 64 << 10;
/// Maximum number of calls a peer may begin and reset before the connection is closed.
const MAX_RESETS: usize = 64;
/// Interval of pings, and the maximum time for their responses.
const PING: Duration = Duration::from_secs(20);
/// Multiple of the header timeout after which an idle connection is closed.
const IDLE: u32 = 12;

/// Serves a connection until it ends.
pub(super) async fn speak_grpc(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    origin: Origin,
    router: Router,
    limits: ConnectionLimits,
    mut stopping: watch::Receiver<bool>,
) {
    if let Err(error) = ServerError::check_clock() {
        return tracing::warn!(%error, "connection rejected");
    }
    let state = origin.state().clone();
    let (under_way, untaken) = (watch::Sender::new(0_usize), Arc::new(Untaken::default()));
    let mut calls = under_way.subscribe();
    let answers = Arc::clone(&untaken);
    let service = service_fn(move |request: http::Request<IncomingBody>| {
        let call = Call::begin(&under_way);
        let answering = router.clone().oneshot(arrived(request, &origin, limits));
        let untaken = Arc::clone(&answers);
        async move {
            let held = |answer| HeldBody::new(Body::new(PacedBody::new(answer, &untaken)), call);
            answering.await.map(|response| response.map(held))
        }
    });
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(MAX_STREAMS)
        .max_header_list_size(MAX_HEAD_BYTES)
        .initial_stream_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_send_buf_size(MAX_SEND_BYTES)
        .max_pending_accept_reset_streams(MAX_RESETS)
        .max_local_error_reset_streams(MAX_RESETS)
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING);
    let stream = WatchedStream::new(stream, state, limits.body_timeout);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = until_stopping(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                ended = connection.as_mut() => ended,
                () = untaken.expire(limits.body_timeout) => Ok(()),
            }
        }
        () = untaken.expire(limits.body_timeout) => {
            tracing::debug!("connection closed: its peer does not take an answer");
            Ok(())
        }
        () = idle(&mut calls, limits.header_timeout) => {
            connection.as_mut().graceful_shutdown();
            // A peer that does not react to the shutdown is not waited for.
            tokio::time::timeout(limits.header_timeout, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "connection closed with an error");
    }
}

/// Converts a request for the router: HTTP/2 has the host beside the headers.
fn arrived(
    request: http::Request<IncomingBody>,
    origin: &Origin,
    limits: ConnectionLimits,
) -> http::Request<Body> {
    let mut request = request.map(Body::new);
    let authority = request.uri().authority().map(|authority| HeaderValue::from_str(authority.as_str()));
    if let Some(Ok(authority)) = authority
        && !request.headers().contains_key(HOST)
    {
        request.headers_mut().insert(HOST, authority);
    }
    origin.mark(&mut request, limits);
    request
}

/// Resolves when no call began for some time, which is short before the first call and longer after it.
async fn idle(calls: &mut watch::Receiver<usize>, patience: Duration) {
    let first = calls.wait_for(|count| *count > 0);
    if tokio::time::timeout(patience, first).await.is_err() {
        return;
    }
    loop {
        if calls.wait_for(|count| *count == 0).await.is_err() {
            return;
        }
        let next = calls.wait_for(|count| *count > 0);
        if tokio::time::timeout(patience.saturating_mul(IDLE), next).await.is_err() {
            return;
        }
    }
}

/// A call in progress, until its response is sent.
struct Call(watch::Sender<usize>);

impl Call {
    fn begin(under_way: &watch::Sender<usize>) -> Self {
        under_way.send_modify(|count| *count += 1);
        Self(under_way.clone())
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count = count.saturating_sub(1));
    }
}
