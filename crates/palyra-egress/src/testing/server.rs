//! An HTTP server on a loopback port that records its requests.

use super::certificate::issue;
use super::raw::RawReply;
use super::reply::{ReplyBody, TestReply};
use bytes::Bytes;
use http::{HeaderMap, Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use rustls_pki_types::CertificateDer;
use std::collections::VecDeque;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::TlsAcceptor;

/// A request as the server received it.
#[derive(Debug, Clone)]
pub struct TestRequest {
    /// The HTTP method.
    pub method: String,
    /// Path and query, unchanged.
    pub target: String,
    /// The header lines, in the order received.
    pub headers: HeaderMap,
    /// The complete body.
    pub body: Bytes,
    /// The number of the connection, counted from 1.
    pub connection: usize,
}

/// A test server that stops when it is dropped.
pub struct TestServer {
    address: SocketAddr,
    root: Option<CertificateDer<'static>>,
    seen: Arc<Seen>,
    task: JoinHandle<()>,
}

/// Maximum number of recorded requests; the oldest are removed first.
const MAX_REMEMBERED: usize = 1_024;

struct Seen {
    requests: Mutex<VecDeque<TestRequest>>,
    connections: watch::Sender<Connections>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Connections {
    opened: usize,
    open: usize,
}

type Handler = Arc<dyn Fn(&TestRequest) -> TestReply + Send + Sync>;

#[derive(Clone)]
enum Service {
    Http(Handler),
    Https(Handler, TlsAcceptor),
    Raw(RawReply),
}

impl TestServer {
    /// Serves HTTP on a free port of 127.0.0.1.
    pub async fn http(
        handler: impl Fn(&TestRequest) -> TestReply + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::http_on((Ipv4Addr::LOCALHOST, 0).into(), handler).await
    }

    /// Serves HTTP on this address.
    pub async fn http_on(
        address: SocketAddr,
        handler: impl Fn(&TestRequest) -> TestReply + Send + Sync + 'static,
    ) -> io::Result<Self> {
        Self::start(address, None, Service::Http(Arc::new(handler))).await
    }

    /// Serves HTTPS on a free port of 127.0.0.1, with a certificate for these names signed by [`root`](Self::root).
    pub async fn https(
        names: &[&str],
        handler: impl Fn(&TestRequest) -> TestReply + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let certificate = issue(names)?;
        let service = Service::Https(Arc::new(handler), TlsAcceptor::from(certificate.config));
        Self::start((Ipv4Addr::LOCALHOST, 0).into(), Some(certificate.root), service).await
    }

    /// Sends the same bytes on every connection.
    pub async fn raw(reply: RawReply) -> io::Result<Self> {
        Self::start((Ipv4Addr::LOCALHOST, 0).into(), None, Service::Raw(reply)).await
    }

    /// Returns the listen address, with the actual port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the root certificate; `None` without TLS.
    pub fn root(&self) -> Option<CertificateDer<'static>> {
        self.root.clone()
    }

    /// Returns the requests so far, at most the latest 1,024.
    pub fn requests(&self) -> Vec<TestRequest> {
        self.seen.requests.lock().iter().cloned().collect()
    }

    /// Returns the number of connections opened so far.
    pub fn connections(&self) -> usize {
        self.seen.connections.borrow().opened
    }

    /// Waits until this many connections were opened.
    pub async fn until_opened(&self, count: usize) {
        self.until(|connections| connections.opened >= count).await;
    }

    /// Waits until no connection is open.
    pub async fn until_closed(&self) {
        self.until(|connections| connections.open == 0).await;
    }

    async fn until(&self, reached: impl Fn(&Connections) -> bool) {
        // The sender lives as long as the server, so waiting ends only when the state is reached.
        let mut connections = self.seen.connections.subscribe();
        let _state = connections.wait_for(reached).await;
    }

    async fn start(
        address: SocketAddr,
        root: Option<CertificateDer<'static>>,
        service: Service,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        let connections = watch::Sender::new(Connections::default());
        let seen = Arc::new(Seen { requests: Mutex::default(), connections });
        let task = tokio::spawn(accept(listener, service, Arc::clone(&seen)));
        Ok(Self { address, root, seen, task })
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn accept(listener: TcpListener, service: Service, seen: Arc<Seen>) {
    let mut tasks = JoinSet::new();
    let mut number = 0;
    while let Ok((stream, _)) = listener.accept().await {
        while tasks.try_join_next().is_some() {}
        number += 1;
        let open = OpenConnection::count(Arc::clone(&seen));
        tasks.spawn(serve(stream, service.clone(), number, open));
    }
}

/// Serves one connection. Its errors are left to the client to report.
async fn serve(stream: TcpStream, service: Service, number: usize, open: OpenConnection) {
    let _nodelay = stream.set_nodelay(true);
    match service {
        Service::Raw(reply) => drop(reply.serve(stream).await),
        Service::Http(handler) => serve_http(stream, handler, number, &open.0).await,
        Service::Https(handler, acceptor) => {
            if let Ok(stream) = acceptor.accept(stream).await {
                serve_http(stream, handler, number, &open.0).await;
            }
        }
    }
}

async fn serve_http(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    handler: Handler,
    number: usize,
    seen: &Seen,
) {
    let service = service_fn(|request| answer(request, &handler, number, seen));
    drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
}

async fn answer(
    request: Request<Incoming>,
    handler: &Handler,
    connection: usize,
    seen: &Seen,
) -> hyper::Result<Response<ReplyBody>> {
    let (head, body) = request.into_parts();
    let request = TestRequest {
        method: head.method.to_string(),
        target: head.uri.to_string(),
        headers: head.headers,
        body: body.collect().await?.to_bytes(),
        connection,
    };
    let reply = handler(&request);
    let mut requests = seen.requests.lock();
    if requests.len() >= MAX_REMEMBERED {
        requests.pop_front();
    }
    requests.push_back(request);
    Ok(reply.into_response())
}

/// Counts a connection as open until it is dropped.
struct OpenConnection(Arc<Seen>);

impl OpenConnection {
    fn count(seen: Arc<Seen>) -> Self {
        seen.connections.send_modify(|connections| {
            connections.opened += 1;
            connections.open += 1;
        });
        Self(seen)
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.connections.send_modify(|connections| connections.open -= 1);
    }
}
