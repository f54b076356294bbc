//! The guard, which authorises a request and then sends it.

use crate::budget::{ByteBudget, Meter};
use crate::client::{Client, RequestBody, Route};
use crate::error::{EgressError, EgressSetupError};
use crate::limits::{MAX_IDLE_AGE, MAX_RESOLUTION_AGE};
use crate::listeners::RefusedListeners;
use crate::redactor::Redactor;
use crate::request::{AuthorizedRequest, OutgoingRequest};
use crate::resolve::{Addresses, PinnedAddresses, Resolver, SystemResolver};
use crate::response::IncomingResponse;
use crate::secrets::inject::seal;
use crate::secrets::scan::{ScannedRequest, scan};
use crate::secrets::{GuardedSecret, Injection};
use crate::streaming::StreamingResponse;
use ipnet::IpNet;
use palyra_common::capabilities::HttpRule;
use rustls_pki_types::CertificateDer;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The configuration of a guard.
///
/// The default uses the resolver of the operating system, trusts the Mozilla root certificates and refuses no listener.
pub struct EgressConfig {
    /// Resolves host names; every address it returns is checked.
    pub resolver: Arc<dyn Resolver>,
    /// Trusted root certificates in addition to the default ones.
    pub extra_roots: Vec<CertificateDer<'static>>,
    /// Palyra's own listeners, refused even if their address is allowed.
    pub refused_listeners: Vec<SocketAddr>,
    /// Lifetime of a resolved name, at most 30 seconds. Zero resolves every time.
    pub resolution_lifetime: Duration,
    /// Lifetime of an idle connection, at most 30 seconds.
    pub idle_lifetime: Duration,
    /// Maximum number of idle connections. Zero keeps none.
    pub max_idle_connections: usize,
}

impl Default for EgressConfig {
    fn default() -> Self {
        Self {
            resolver: Arc::new(SystemResolver),
            extra_roots: Vec::new(),
            refused_listeners: Vec::new(),
            resolution_lifetime: MAX_RESOLUTION_AGE,
            idle_lifetime: MAX_IDLE_AGE,
            max_idle_connections: 64,
        }
    }
}

/// The facts of a run that apply to its requests.
#[derive(Clone, Copy)]
pub struct EgressContext<'a> {
    /// The owner of the run, usually a skill id. Connections are never shared between owners.
    pub owner: &'a str,
    /// Private or otherwise blocked address ranges that an operator allowed.
    pub allow_addresses: &'a [IpNet],
    /// Secrets to inject into the request.
    pub injections: &'a [Injection],
    /// Secrets that the request must not contain, and that are removed from the response.
    pub guarded: &'a [GuardedSecret],
    /// The byte budget of the run.
    pub budget: &'a ByteBudget,
}

/// The only way to send HTTP requests: authorizes requests, then sends them under their rule.
///
/// Cloning is cheap. Clones share connections and resolved names.
#[derive(Clone)]
pub struct EgressGuard {
    inner: Arc<Inner>,
}

struct Inner {
    addresses: Addresses,
    client: Client,
}

impl EgressGuard {
    /// Creates a guard. A process should have one, because it owns the idle connections.
    pub fn new(config: EgressConfig) -> Result<Self, EgressSetupError> {
        let listeners = RefusedListeners::new(config.refused_listeners);
        let addresses = Addresses::new(config.resolver, listeners, config.resolution_lifetime);
        let idle_lifetime = config.idle_lifetime.min(MAX_IDLE_AGE);
        let client = Client::new(config.extra_roots, config.max_idle_connections, idle_lifetime)?;
        Ok(Self { inner: Arc::new(Inner { addresses, client }) })
    }

    /// Finds the first rule that covers the request; no I/O.
    ///
    /// `rules` is the one rule behind a handle, or all granted rules.
    ///
    /// # Errors
    ///
    /// [`EgressError::Denied`] if no rule covers the request, and [`EgressError::InvalidRequest`] if it is malformed.
    /// The text may contain secrets: see [`EgressError::redacted`].
    pub fn authorize(
        &self,
        rules: &[HttpRule],
        request: OutgoingRequest,
    ) -> Result<AuthorizedRequest, EgressError> {
        AuthorizedRequest::check(rules, request)
    }

    /// Sends an authorised request and returns the whole response.
    ///
    /// Dropping the future closes the connection at once. A tokio runtime with I/O and time is needed.
    ///
    /// # Errors
    ///
    /// [`EgressError::Denied`] if the request contains a guarded secret or the target has a blocked address,
    /// [`EgressError::Quota`] above a byte limit, [`EgressError::TimedOut`] after the time limit of the request, and
    /// [`EgressError::Unavailable`] if the server fails. Secrets are removed from the texts.
    pub async fn send(
        &self,
        request: AuthorizedRequest,
        context: &EgressContext<'_>,
    ) -> Result<IncomingResponse, EgressError> {
        let redactor = redactor_for(context);
        let timeout = request.timeout;
        let outcome = within(timeout, self.inner.exchange(request, context, &redactor)).await;
        outcome.map_err(|error| error.redacted(&redactor))
    }

    /// Sends an authorised request and returns when the head of its response was received.
    ///
    /// The request's time limit counts up to that point; the caller limits how long it waits for the body.
    /// Dropping the future or the response closes the connection at once.
    pub async fn open<'b>(
        &self,
        request: AuthorizedRequest,
        context: &EgressContext<'b>,
    ) -> Result<StreamingResponse<'b>, EgressError> {
        let redactor = redactor_for(context);
        let timeout = request.timeout;
        let outcome = within(timeout, self.inner.open(request, context, &redactor)).await;
        outcome.map_err(|error| error.redacted(&redactor))
    }
}

async fn within<T>(
    limit: Option<Duration>,
    work: impl Future<Output = Result<T, EgressError>>,
) -> Result<T, EgressError> {
    match limit {
        None => work.await,
        Some(limit) => tokio::time::timeout(limit, work).await.unwrap_or(Err(EgressError::TimedOut)),
    }
}

/// Returns a redactor for the guarded secrets in their order, followed by injected ones that are not among them.
fn redactor_for(context: &EgressContext<'_>) -> Redactor {
    let guarded = context.guarded.iter().map(|secret| &secret.value);
    let injected = context.injections.iter().map(|injection| &injection.value);
    Redactor::new(
        guarded.clone().chain(injected.filter(|value| !guarded.clone().any(|known| known == *value))),
    )
}

impl Inner {
    async fn exchange(
        &self,
        request: AuthorizedRequest,
        context: &EgressContext<'_>,
        redactor: &Redactor,
    ) -> Result<IncomingResponse, EgressError> {
        let mut ready = self.prepare(request, context, redactor).await?;
        let route =
            Route { owner: context.owner, rule: &ready.scanned.0.rule, target: &ready.scanned.0.target };
        let response = self.client.exchange(route, &ready.pinned, ready.request, &mut ready.meter).await?;
        Ok(response.redacted(redactor).await)
    }

    async fn open<'b>(
        &self,
        request: AuthorizedRequest,
        context: &EgressContext<'b>,
        redactor: &Redactor,
    ) -> Result<StreamingResponse<'b>, EgressError> {
        let mut ready = self.prepare(request, context, redactor).await?;
        let route =
            Route { owner: context.owner, rule: &ready.scanned.0.rule, target: &ready.scanned.0.target };
        let open = self.client.open(route, &ready.pinned, ready.request, &mut ready.meter).await?;
        StreamingResponse::new(open, ready.meter, redactor, self.client.pool())
    }

    /// Makes every check that comes before the first byte is sent.
    async fn prepare<'b>(
        &self,
        request: AuthorizedRequest,
        context: &EgressContext<'b>,
        redactor: &Redactor,
    ) -> Result<Ready<'b>, EgressError> {
        let scanned = scan(request, context.injections, context.guarded, redactor).await?;
        let sealed = seal(&scanned, context.injections)?;
        let AuthorizedRequest { rule, target, .. } = &scanned.0;
        let pinned = self.addresses.pin(target, context.allow_addresses).await?;
        let meter = Meter::open(context.budget, rule, sealed.head_bytes, sealed.body_bytes)?;
        Ok(Ready { pinned, meter, request: sealed.request, scanned })
    }
}

/// A request that may be sent, to addresses that may be reached.
struct Ready<'b> {
    scanned: ScannedRequest,
    pinned: PinnedAddresses,
    request: http::Request<RequestBody>,
    meter: Meter<'b>,
}

impl fmt::Debug for EgressGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EgressGuard").finish_non_exhaustive()
    }
}
