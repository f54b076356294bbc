//! A model provider on a loopback port, for tests.

use super::frames::stream_of;
use crate::endpoint::Endpoint;
use crate::event::ModelEvent;
use crate::http_provider::{HttpProvider, HttpProviderConfig, ProviderKey, Timeouts};
use crate::protocol::Protocol;
use crate::retry::RetryPolicy;
use bytes::Bytes;
use palyra_egress::testing::{TestBody, TestReply, TestRequest, TestServer};
use palyra_egress::{EgressConfig, EgressGuard};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// The server's reply to one request.
#[derive(Debug, Clone)]
pub enum ServerReply {
    /// These events in the protocol of the request, sent in parts of this many bytes.
    Events(Vec<ModelEvent>, usize),
    /// These events, then an open connection without further bytes.
    Stalled(Vec<ModelEvent>),
    /// This text as an event stream.
    Stream(String),
    /// A status with header lines and a body.
    Status(u16, Vec<(String, String)>, String),
}

/// A server that sends its replies in order, and repeats the last one.
pub struct ProviderServer {
    server: TestServer,
    replies: Arc<Mutex<VecDeque<ServerReply>>>,
}

impl ProviderServer {
    /// Starts the server on a free port of 127.0.0.1.
    pub async fn start(replies: impl IntoIterator<Item = ServerReply>) -> io::Result<Self> {
        let replies = Arc::new(Mutex::new(replies.into_iter().collect::<VecDeque<_>>()));
        let next = Arc::clone(&replies);
        let server = TestServer::http(move |request| {
            let mut replies = next.lock();
            let reply = if replies.len() > 1 { replies.pop_front() } else { replies.front().cloned() };
            match reply {
                Some(reply) => reply.render(request),
                None => TestReply::status(503),
            }
        });
        Ok(Self { server: server.await?, replies })
    }

    /// Appends a reply.
    pub fn push(&self, reply: ServerReply) {
        self.replies.lock().push_back(reply);
    }

    /// Returns the base URL, with path `/v1`.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.server.address())
    }

    /// Returns the requests so far.
    pub fn requests(&self) -> Vec<TestRequest> {
        self.server.requests()
    }

    /// Waits until no connection is open.
    pub async fn until_closed(&self) {
        self.server.until_closed().await;
    }

    /// Creates a provider for this server that retries after milliseconds instead of seconds.
    ///
    /// # Panics
    ///
    /// If the egress guard cannot be created.
    pub fn provider(&self, protocol: Protocol, key: Option<ProviderKey>) -> HttpProvider {
        self.provider_with(protocol, key, Timeouts::default())
    }

    /// Like [`provider`](Self::provider), with other time limits.
    ///
    /// # Panics
    ///
    /// If the egress guard cannot be created.
    #[allow(clippy::expect_used, reason = "for tests only")]
    pub fn provider_with(
        &self,
        protocol: Protocol,
        key: Option<ProviderKey>,
        timeouts: Timeouts,
    ) -> HttpProvider {
        let wait = Duration::from_millis(2);
        let retries = RetryPolicy { max_attempts: 3, first_wait: wait, max_wait: Duration::from_secs(5) };
        let endpoint = Endpoint::new(&self.base_url(), true).expect("a loopback URL is valid");
        let config = HttpProviderConfig { protocol, endpoint, key, retries, timeouts };
        HttpProvider::new(
            EgressGuard::new(EgressConfig::default()).expect("a guard without extra roots"),
            config,
        )
    }
}

impl ServerReply {
    /// Creates a reply of these events, sent in one part.
    pub fn events(events: impl IntoIterator<Item = ModelEvent>) -> Self {
        Self::Events(events.into_iter().collect(), usize::MAX)
    }

    fn render(self, request: &TestRequest) -> TestReply {
        let protocol = match request.target.rsplit('/').next() {
            Some("responses") => Protocol::Responses,
            Some("messages") => Protocol::Messages,
            _ => Protocol::ChatCompletions,
        };
        let stream = || TestReply::status(200).header("content-type", "text/event-stream");
        match self {
            Self::Events(events, size) => {
                let text = stream_of(protocol, &events);
                let pieces: Vec<Bytes> = text.as_bytes().chunks(size).map(Bytes::copy_from_slice).collect();
                stream().pieces(pieces)
            }
            Self::Stalled(events) => stream().body(TestBody::Stalled(stream_of(protocol, &events).into())),
            Self::Stream(text) => stream().pieces([Bytes::from(text)]),
            Self::Status(status, headers, body) => {
                let reply = TestReply::status(status).body(TestBody::Whole(body.into()));
                headers.iter().fold(reply, |reply, (name, value)| reply.header(name, value))
            }
        }
    }
}
