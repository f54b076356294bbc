//! One connection: HTTP/1.1, with a bound on how long it may dawdle.

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
use tower::ServiceExt;

use crate::app::until_stopping;
use crate::transport::http::{Arrival, BodyTimeout};

/// Longest head of a request.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// A connection that was accepted.
pub(super) enum Incoming {
    /// From a process of this user.
    Socket(UnixStream),
    /// Over TCP.
    Tcp(TcpStream, IpAddr),
    /// Over TCP, under TLS.
    Tls(TcpStream, IpAddr, TlsAcceptor),
}

/// What one connection may take.
#[derive(Clone, Copy)]
pub(super) struct ConnectionLimits {
    pub(super) header_timeout: Duration,
    pub(super) body_timeout: Duration,
}

/// Serves a connection to its end.
pub(super) async fn serve(
    incoming: Incoming,
    router: Router,
    limits: ConnectionLimits,
    stopping: watch::Receiver<bool>,
) {
    match incoming {
        Incoming::Socket(stream) => speak(stream, Arrival::Socket, router, limits, stopping).await,
        Incoming::Tcp(stream, peer) => speak(stream, Arrival::Tcp(peer), router, limits, stopping).await,
        Incoming::Tls(stream, peer, tls) => {
            match tokio::time::timeout(limits.header_timeout, tls.accept(stream)).await {
                Ok(Ok(stream)) => speak(stream, Arrival::Tcp(peer), router, limits, stopping).await,
                Ok(Err(error)) => tracing::debug!(%error, "no TLS"),
                Err(_) => tracing::debug!("a TLS handshake took too long"),
            }
        }
    }
}

async fn speak(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    arrival: Arrival,
    router: Router,
    limits: ConnectionLimits,
    mut stopping: watch::Receiver<bool>,
) {
    let service = service_fn(move |request: http::Request<IncomingBody>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(arrival);
        request.extensions_mut().insert(BodyTimeout(limits.body_timeout));
        router.clone().oneshot(request)
    });
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(limits.header_timeout).max_buf_size(MAX_HEAD_BYTES);
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
        tracing::debug!(%error, "a connection broke");
    }
}
