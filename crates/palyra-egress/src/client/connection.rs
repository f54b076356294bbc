//! A connection and the exchanges on it.

use super::driver::Driver;
use super::stream::Transport;
use super::{PinnedAddresses, RequestBody, Route};
use crate::budget::Meter;
use crate::error::EgressError;
use bytes::{Bytes, BytesMut};
use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper::client::conn::http1::SendRequest;
use palyra_common::capabilities::{HostPattern, HttpRule, Scheme};
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};

/// The facts that must match for a connection to be reused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RouteKey {
    pub(crate) address: SocketAddr,
    scheme: Scheme,
    host: HostPattern,
    owner: String,
    rule: HttpRule,
}

impl RouteKey {
    pub(super) fn new(route: Route<'_>, address: SocketAddr) -> Self {
        Self {
            address,
            scheme: route.target.scheme,
            host: route.target.host.clone(),
            owner: route.owner.to_owned(),
            rule: route.rule.clone(),
        }
    }

    pub(super) fn fits(&self, route: Route<'_>, pinned: &PinnedAddresses) -> bool {
        pinned.contain(self.address)
            && self.scheme == route.target.scheme
            && self.host == route.target.host
            && self.owner == route.owner
            && self.rule == *route.rule
    }
}

/// A request without a response.
pub(super) enum SendFailure {
    /// The connection was closed before a byte was written, so the request can be sent again.
    NotSent(Box<Request<RequestBody>>),
    /// The exchange failed after the connection was used.
    Failed(EgressError),
}

/// An open connection, driven by its holder. Dropping it closes the socket.
pub(crate) struct LiveConnection {
    pub(crate) key: RouteKey,
    sender: SendRequest<RequestBody>,
    driver: Driver,
}

impl LiveConnection {
    pub(super) async fn open(transport: Transport, key: RouteKey) -> Result<Self, EgressError> {
        let (sender, driver) = Driver::start(transport).await.map_err(|error| failure(&key, &error))?;
        Ok(Self { key, sender, driver })
    }

    /// Sends a request and returns the head of its response.
    pub(super) async fn send(
        &mut self,
        request: Request<RequestBody>,
        meter: &mut Meter<'_>,
    ) -> Result<Response<Incoming>, SendFailure> {
        let mut response = pin!(self.sender.try_send_request(request));
        let sent = poll_fn(|cx| {
            self.driver.advance(cx, meter)?;
            response.as_mut().poll(cx).map(Ok)
        });
        sent.await.map_err(SendFailure::Failed)?.map_err(|mut failed| match failed.take_message() {
            Some(request) => SendFailure::NotSent(Box::new(request)),
            None => SendFailure::Failed(failure(&self.key, failed.error())),
        })
    }

    /// Reads a body to its end. Fails if it exceeds the limit of the rule.
    pub(super) async fn read_body(
        &mut self,
        mut body: Incoming,
        meter: &mut Meter<'_>,
    ) -> Result<Bytes, EgressError> {
        if let Some(length) = body.size_hint().exact() {
            meter.expect_body(length)?;
        }
        let mut whole = Collected::default();
        while let Some(data) = self.next_data(&mut body, meter).await? {
            meter.check_body(whole.len().saturating_add(data.len() as u64))?;
            whole.push(data);
        }
        Ok(whole.finish())
    }

    /// Returns the next part of a body. Trailers are dropped, because only headers of the head are returned.
    pub(crate) async fn next_data(
        &mut self,
        body: &mut Incoming,
        meter: &mut Meter<'_>,
    ) -> Result<Option<Bytes>, EgressError> {
        loop {
            let frame = poll_fn(|cx| {
                self.driver.advance(cx, meter)?;
                Pin::new(&mut *body).poll_frame(cx).map(Ok::<_, EgressError>)
            });
            match frame.await?.transpose().map_err(|error| failure(&self.key, &error))? {
                None => return Ok(None),
                Some(frame) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
    }

    /// Completes pending work of the connection. Returns whether it can send another request.
    pub(super) async fn settle(&mut self) -> bool {
        self.driver.settle().await && self.sender.is_ready()
    }
}

/// A growing body. A body with a single part, which is the common case, is not copied.
#[derive(Default)]
struct Collected {
    first: Bytes,
    rest: BytesMut,
}

impl Collected {
    fn len(&self) -> u64 {
        (self.first.len() + self.rest.len()) as u64
    }

    fn push(&mut self, data: Bytes) {
        if self.rest.is_empty() && self.first.is_empty() {
            self.first = data;
            return;
        }
        self.rest.extend_from_slice(&std::mem::take(&mut self.first));
        self.rest.extend_from_slice(&data);
    }

    fn finish(self) -> Bytes {
        if self.rest.is_empty() { self.first } else { self.rest.freeze() }
    }
}

fn failure(key: &RouteKey, error: &hyper::Error) -> EgressError {
    let host = &key.host;
    if error.is_parse_too_large() {
        return EgressError::oversized_head();
    }
    let how = if error.is_parse() { "in HTTP/1.1" } else { "in full" };
    EgressError::unavailable(format!("`{host}` did not answer {how}"), error)
}
