//! One HTTP/1.1 or gRPC connection, with timeouts for slow peers.

use std::net::IpAddr;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use hyper::body::Incoming as IncomingBody;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use tower::ServiceExt;

use super::error::ServerError;
use super::http2::speak_grpc;
use super::watched_stream::WatchedStream;
use crate::app::until_stopping;
use crate::transport::connection_state::ConnectionState;
use crate::transport::http::{Arrival, BodyTimeout};

/// Maximum size of the head of a request in bytes.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// An accepted connection.
pub(super) enum Incoming {
    /// From a process of the same user, over the Unix socket.
    Socket(UnixStream),
    /// Over TCP without TLS.
    Tcp(TcpStream, IpAddr),
    /// Over TCP with TLS.
    Tls(TcpStream, IpAddr, TlsAcceptor),
    /// To the gRPC port, with TLS if there is a certificate.
    Grpc(TcpStream, IpAddr, Option<TlsAcceptor>),
}

/// The services behind the listeners.
#[derive(Clone)]
pub(super) struct Routers {
    pub(super) http: Router,
    pub(super) grpc: Router,
}

/// Limits of one connection.
#[derive(Clone, Copy)]
pub(super) struct ConnectionLimits {
    pub(super) header_timeout: Duration,
    pub(super) body_timeout: Duration,
}

/// Serves a connection until it ends.
pub(super) async fn serve(
    incoming: Incoming,
    Routers { http, grpc }: Routers,
    limits: ConnectionLimits,
    state: ConnectionState,
    stopping: watch::Receiver<bool>,
) {
    match incoming {
        Incoming::Socket(stream) => {
            speak(stream, Origin { arrival: Arrival::Socket, state }, http, limits, stopping).await;
        }
        Incoming::Tcp(stream, peer) => {
            speak(stream, Origin { arrival: Arrival::Tcp(peer), state }, http, limits, stopping).await;
        }
        Incoming::Tls(stream, peer, tls) => {
            if let Some(stream) = shake_hands(stream, &tls, limits).await {
                speak(stream, Origin { arrival: Arrival::Tcp(peer), state }, http, limits, stopping).await;
            }
        }
        Incoming::Grpc(stream, peer, None) => {
            speak_grpc(stream, Origin { arrival: Arrival::Grpc(peer), state }, grpc, limits, stopping).await;
        }
        Incoming::Grpc(stream, peer, Some(tls)) => {
            if let Some(stream) = shake_hands(stream, &tls, limits).await {
                speak_grpc(stream, Origin { arrival: Arrival::Grpc(peer), state }, grpc, limits, stopping)
                    .await;
            }
        }
    }
}

/// The connection of a request, stored in its extensions.
#[derive(Clone)]
pub(super) struct Origin {
    arrival: Arrival,
    state: ConnectionState,
}

impl Origin {
    pub(super) fn state(&self) -> &ConnectionState {
        &self.state
    }

    /// Records that a head arrived, and adds the origin and the body timeout to its request.
    pub(super) fn mark<B>(&self, request: &mut http::Request<B>, limits: ConnectionLimits) {
        self.state.set_head_received();
        let extensions = request.extensions_mut();
        extensions.insert(self.arrival);
        extensions.insert(self.state.clone());
        extensions.insert(BodyTimeout(limits.body_timeout));
    }
}

async fn shake_hands(
    stream: TcpStream,
    tls: &TlsAcceptor,
    limits: ConnectionLimits,
) -> Option<TlsStream<TcpStream>> {
    match tokio::time::timeout(limits.header_timeout, tls.accept(stream)).await {
        Ok(Ok(stream)) => return Some(stream),
        Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
        Err(_) => tracing::debug!("TLS handshake timed out"),
    }
    None
}

async fn speak(
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
    let service = service_fn(move |request: http::Request<IncomingBody>| {
        let mut request = request.map(Body::new);
        origin.mark(&mut request, limits);
        router.clone().oneshot(request)
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.header_timeout).max_buf_size(MAX_HEAD_BYTES);
    let stream = WatchedStream::new(stream, state, limits.body_timeout);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = until_stopping(&mut stopping) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "connection closed with an error");
    }
}
