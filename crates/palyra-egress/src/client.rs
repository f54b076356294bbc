//! The HTTP/1.1 client: one exchange over an idle or a new connection, to a pinned address.
//!
//! A connection is polled only by the request that uses it, so dropping the request closes
//! the socket at once, and no task is left behind.

mod connect;
mod connection;
mod driver;
mod pool;
mod stream;

use crate::budget::Meter;
use crate::error::{EgressError, EgressSetupError};
use crate::request::target::Target;
use crate::resolve::PinnedAddresses;
use crate::response::RawResponse;
use connect::Connector;
pub(crate) use connection::LiveConnection;
use connection::SendFailure;
use http::{Request, StatusCode};
use hyper::body::Incoming;
use palyra_common::capabilities::HttpRule;
pub(crate) use pool::Pool;
use rustls_pki_types::CertificateDer;
use std::sync::Arc;
use std::time::Duration;

/// The body of a request, which is complete before the request is sent.
pub(crate) type RequestBody = http_body_util::Full<bytes::Bytes>;

/// The owner, rule and target of a request; connections are shared within a route only.
#[derive(Clone, Copy)]
pub(crate) struct Route<'a> {
    pub(crate) owner: &'a str,
    pub(crate) rule: &'a HttpRule,
    pub(crate) target: &'a Target,
}

/// The idle connections, and the configuration for new ones.
pub(crate) struct Client {
    connector: Connector,
    pool: Arc<Pool>,
}

impl Client {
    pub(crate) fn new(
        extra_roots: Vec<CertificateDer<'static>>,
        max_idle: usize,
        idle_lifetime: Duration,
    ) -> Result<Self, EgressSetupError> {
        Ok(Self {
            connector: Connector::new(extra_roots)?,
            pool: Arc::new(Pool::new(max_idle, idle_lifetime)),
        })
    }

    /// Sends a request and reads the whole response under its caps.
    pub(crate) async fn exchange(
        &self,
        route: Route<'_>,
        pinned: &PinnedAddresses,
        request: Request<RequestBody>,
        meter: &mut Meter<'_>,
    ) -> Result<RawResponse, EgressError> {
        let mut open = self.open(route, pinned, request, meter).await?;
        let body = open.connection.read_body(open.body, meter).await?;
        let response = RawResponse {
            status: open.head.status.as_u16(),
            headers: open.head.headers,
            body,
            address: open.connection.key.address,
            bytes_sent: meter.sent(),
            bytes_received: meter.received(),
        };
        self.pool.put(open.connection).await;
        Ok(response)
    }

    /// Sends a request and reads the head of its response.
    pub(crate) async fn open(
        &self,
        route: Route<'_>,
        pinned: &PinnedAddresses,
        mut request: Request<RequestBody>,
        meter: &mut Meter<'_>,
    ) -> Result<OpenResponse, EgressError> {
        while let Some(connection) = self.pool.take(route, pinned).await {
            match send_on(connection, request, meter).await {
                Err(SendFailure::NotSent(back)) => request = *back,
                Err(SendFailure::Failed(error)) => return Err(error),
                Ok(response) => return Ok(response),
            }
        }
        let connection = self.connector.connect(route, pinned).await?;
        send_on(connection, request, meter).await.map_err(|failure| match failure {
            SendFailure::Failed(error) => error,
            SendFailure::NotSent(_) => {
                EgressError::unavailable("the request was not sent", "the connection closed at once")
            }
        })
    }

    /// Returns the pool of idle connections, to which a response returns its connection when it ends.
    pub(crate) fn pool(&self) -> Arc<Pool> {
        Arc::clone(&self.pool)
    }
}

/// A response whose head was received, with the connection that its body is read from.
pub(crate) struct OpenResponse {
    pub(crate) head: http::response::Parts,
    pub(crate) body: Incoming,
    pub(crate) connection: LiveConnection,
}

async fn send_on(
    mut connection: LiveConnection,
    request: Request<RequestBody>,
    meter: &mut Meter<'_>,
) -> Result<OpenResponse, SendFailure> {
    let (head, body) = connection.send(request, meter).await?.into_parts();
    if head.status == StatusCode::SWITCHING_PROTOCOLS {
        let error = EgressError::unavailable("the response is not one", "it switches to another protocol");
        return Err(SendFailure::Failed(error));
    }
    Ok(OpenResponse { head, body, connection })
}
