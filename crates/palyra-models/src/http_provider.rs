//! A provider over HTTP, with one of the three protocols, through the egress guard.

use crate::endpoint::Endpoint;
use crate::error::{ModelError, TimeoutPhase};
use crate::event::ModelEvent;
use crate::exchange::Exchange;
use crate::limits::MAX_REQUEST_BYTES;
use crate::protocol::Protocol;
use crate::provider::{ModelProvider, ModelStream};
use crate::request::ModelRequest;
use crate::retry::RetryPolicy;
use futures::channel::mpsc;
use futures::{SinkExt, StreamExt, stream};
use palyra_common::SecretValue;
use palyra_common::capabilities::SecretRef;
use palyra_egress::EgressGuard;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

/// The configuration of a provider.
#[derive(Debug, Clone)]
pub struct HttpProviderConfig {
    /// The protocol of the provider.
    pub protocol: Protocol,
    /// The base URL, checked.
    pub endpoint: Endpoint,
    /// The API key; `None` for a local provider that needs none.
    pub key: Option<ProviderKey>,
    /// Retry policy for requests.
    pub retries: RetryPolicy,
    /// The time limits of each attempt.
    pub timeouts: Timeouts,
}

/// The API key of a provider. Only the egress guard reads it, to inject it into the head of a request.
#[derive(Debug, Clone)]
pub struct ProviderKey {
    /// The reference of the key in the vault.
    pub name: SecretRef,
    /// The value of the key.
    pub value: SecretValue,
}

/// The time limits of one attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// From the request to the first byte of the response body. Models without a graphics card process input slowly.
    pub first_byte: Duration,
    /// Between two parts of the response.
    pub idle: Duration,
    /// The whole attempt.
    pub total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(180),
            idle: Duration::from_secs(60),
            total: Duration::from_secs(20 * 60),
        }
    }
}

/// A provider that is reached over HTTP.
///
/// Cloning is cheap. The streams need a tokio runtime with I/O and time.
#[derive(Clone)]
pub struct HttpProvider {
    guard: EgressGuard,
    config: Arc<HttpProviderConfig>,
}

impl HttpProvider {
    /// Creates a provider that sends requests through `guard`.
    pub fn new(guard: EgressGuard, config: HttpProviderConfig) -> Self {
        Self { guard, config: Arc::new(config) }
    }
}

impl ModelProvider for HttpProvider {
    fn stream(&self, request: ModelRequest) -> ModelStream {
        let provider = self.clone();
        // A channel without capacity lets a slow reader slow the provider down, instead of filling memory.
        let (events, received) = mpsc::channel(0);
        let answering = async move { provider.answer(request, events).await };
        with_work(received, answering)
    }
}

/// Returns the received items. Polling them also drives the work that sends them.
fn with_work<T: Send + 'static>(
    received: mpsc::Receiver<T>,
    work: impl Future<Output = ()> + Send + 'static,
) -> stream::BoxStream<'static, T> {
    let work = stream::once(work).filter_map(|()| async { None });
    stream::select(received, work).boxed()
}

type Events = mpsc::Sender<Result<ModelEvent, ModelError>>;

impl HttpProvider {
    /// Sends the events of the response, or the error of the last attempt.
    async fn answer(&self, request: ModelRequest, mut events: Events) {
        let exchange = match self.exchange(request) {
            Ok(exchange) => exchange,
            Err(error) => return drop(events.send(Err(error)).await),
        };
        let mut attempts = 0;
        loop {
            attempts += 1;
            let mut begun = false;
            let attempt = exchange.run(&mut events, &mut begun);
            let limit = self.config.timeouts.total;
            let outcome = tokio::time::timeout(limit, attempt).await;
            let late = Err(ModelError::TimedOut { phase: TimeoutPhase::Total });
            let Err(error) = outcome.unwrap_or(late) else { return };
            let wait = self.config.retries.wait(attempts, &error, chance());
            match wait.filter(|_| !begun) {
                Some(wait) => tokio::time::sleep(wait).await,
                // Sending fails only if the reader was dropped.
                None => return drop(events.send(Err(error)).await),
            }
        }
    }

    fn exchange(&self, request: ModelRequest) -> Result<Exchange, ModelError> {
        let HttpProviderConfig { protocol, endpoint, key, timeouts, retries: _ } = &*self.config;
        let invalid = |reason: String| ModelError::InvalidRequest { reason };
        let body = protocol.encode(&request, endpoint)?.to_string();
        if body.len() > MAX_REQUEST_BYTES {
            return Err(ModelError::LimitReached {
                what: "request bytes",
                allowed: MAX_REQUEST_BYTES as u64,
            });
        }
        Ok(Exchange {
            guard: self.guard.clone(),
            rule: endpoint.rule(*protocol).map_err(|error| invalid(error.to_string()))?,
            url: endpoint.url(*protocol),
            protocol: *protocol,
            open_addresses: endpoint.open_addresses(),
            key: key.clone(),
            host: endpoint.host().clone(),
            timeouts: *timeouts,
            body: body.into(),
            request,
        })
    }
}

/// Returns a random byte that spreads retries. Without randomness, every retry waits the longest.
fn chance() -> u8 {
    palyra_common::random::draw::<1>().map_or(u8::MAX, |[byte]| byte)
}

impl fmt::Debug for HttpProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpProvider").field("config", &self.config).finish_non_exhaustive()
    }
}
