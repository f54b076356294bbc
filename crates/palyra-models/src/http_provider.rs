//! A provider over HTTP: one of the three protocols, through the egress guard.

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

/// What a provider is set up with.
#[derive(Debug, Clone)]
pub struct HttpProviderConfig {
    /// The protocol it speaks.
    pub protocol: Protocol,
    /// Its location.
    pub endpoint: Endpoint,
    /// Its key; a local one may need none.
    pub key: Option<ProviderKey>,
    /// Retry policy for requests.
    pub retries: RetryPolicy,
    /// How long to wait for what.
    pub timeouts: Timeouts,
}

/// The key of a provider. The guard puts it into the head of a request; nothing else reads it.
#[derive(Debug, Clone)]
pub struct ProviderKey {
    /// Its name in the vault.
    pub name: SecretRef,
    /// Its value.
    pub value: SecretValue,
}

/// How long to wait for a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// From the request to the first byte of the answer's body; a model without a graphics card reads slowly.
    pub first_byte: Duration,
    /// Between two pieces of an answer.
    pub idle: Duration,
    /// For one attempt in all.
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

/// Asks a provider over HTTP.
///
/// Cloning is cheap. The streams need a tokio runtime with I/O and time.
#[derive(Clone)]
pub struct HttpProvider {
    guard: EgressGuard,
    config: Arc<HttpProviderConfig>,
}

impl HttpProvider {
    /// A provider that sends through `guard`.
    pub fn new(guard: EgressGuard, config: HttpProviderConfig) -> Self {
        Self { guard, config: Arc::new(config) }
    }
}

impl ModelProvider for HttpProvider {
    fn stream(&self, request: ModelRequest) -> ModelStream {
        let provider = self.clone();
        // One event at a time: a slow reader slows the provider down instead of filling memory.
        let (events, received) = mpsc::channel(0);
        let answering = async move { provider.answer(request, events).await };
        with_work(received, answering)
    }
}

/// The received items, while the work that sends them is driven by the same polls.
fn with_work<T: Send + 'static>(
    received: mpsc::Receiver<T>,
    work: impl Future<Output = ()> + Send + 'static,
) -> stream::BoxStream<'static, T> {
    let work = stream::once(work).filter_map(|()| async { None });
    stream::select(received, work).boxed()
}

type Events = mpsc::Sender<Result<ModelEvent, ModelError>>;

impl HttpProvider {
    /// Sends the events of the answer, or of the last attempt at one.
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
                // The reader has gone if this fails.
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

/// Spreads retries; without randomness they all wait the longest.
fn chance() -> u8 {
    palyra_common::random::draw::<1>().map_or(u8::MAX, |[byte]| byte)
}

impl fmt::Debug for HttpProvider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpProvider").field("config", &self.config).finish_non_exhaustive()
    }
}
