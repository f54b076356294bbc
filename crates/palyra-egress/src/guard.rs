//! The guard: the two steps every request takes.

use crate::budget::{ByteBudget, Meter};
use crate::client::{Client, Route};
use crate::error::{EgressError, EgressSetupError};
use crate::limits::{MAX_IDLE_AGE, MAX_RESOLUTION_AGE};
use crate::listeners::RefusedListeners;
use crate::redactor::Redactor;
use crate::request::{AuthorizedRequest, OutgoingRequest};
use crate::resolve::{Addresses, Resolver, SystemResolver};
use crate::response::IncomingResponse;
use crate::secrets::inject::seal;
use crate::secrets::scan::scan;
use crate::secrets::{GuardedSecret, Injection};
use ipnet::IpNet;
use palyra_common::capabilities::HttpRule;
use rustls_pki_types::CertificateDer;
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// How a guard is set up.
///
/// The default asks the system's resolver, trusts the roots that Mozilla ships, and refuses no listener.
pub struct EgressConfig {
    /// Finds addresses.
    pub resolver: Arc<dyn Resolver>,
    /// Roots to trust besides the usual ones.
    pub extra_roots: Vec<CertificateDer<'static>>,
    /// Palyra's own listeners, refused even where their address is opened.
    pub refused_listeners: Vec<SocketAddr>,
    /// How long an answer of the resolver is used; at most 30 seconds count, and zero asks every time.
    pub resolution_lifetime: Duration,
    /// How long an unused connection is kept; at most 30 seconds count.
    pub idle_lifetime: Duration,
    /// Most unused connections kept; zero keeps none.
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

/// What one run brings along for its requests.
#[derive(Clone, Copy)]
pub struct EgressContext<'a> {
    /// Whose run it is, usually a skill id; connections are never shared between owners.
    pub owner: &'a str,
    /// Address ranges an operator opened.
    pub allow_addresses: &'a [IpNet],
    /// Secrets to put into this request.
    pub injections: &'a [Injection],
    /// Secrets that may not leave, and must not come back.
    pub guarded: &'a [GuardedSecret],
    /// The bytes the run may still exchange.
    pub budget: &'a ByteBudget,
}

/// The one way out: authorises requests, then sends them under their rule.
///
/// Cloning is cheap, and clones share connections and remembered addresses.
#[derive(Clone)]
pub struct EgressGuard {
    inner: Arc<Inner>,
}

struct Inner {
    addresses: Addresses,
    client: Client,
}

impl EgressGuard {
    /// Builds a guard; do it once per process.
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
    pub fn authorize(
        &self,
        rules: &[HttpRule],
        request: OutgoingRequest,
    ) -> Result<AuthorizedRequest, EgressError> {
        AuthorizedRequest::check(rules, request)
    }

    /// Sends an authorised request and returns the whole response.
    ///
    /// Dropping the future closes the connection at once. A runtime with I/O and time is needed.
    pub async fn send(
        &self,
        request: AuthorizedRequest,
        context: &EgressContext<'_>,
    ) -> Result<IncomingResponse, EgressError> {
        let redactor = redactor_for(context);
        let timeout = request.timeout;
        let exchange = self.inner.exchange(request, context, &redactor);
        let outcome = match timeout {
            None => exchange.await,
            Some(limit) => tokio::time::timeout(limit, exchange).await.unwrap_or(Err(EgressError::TimedOut)),
        };
        outcome.map_err(|error| error.redacted(&redactor))
    }
}

/// Looks for the guarded secrets in their order, and then for injected ones that are not among them.
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
        let scanned = scan(request, context.injections, context.guarded, redactor).await?;
        let sealed = seal(&scanned, context.injections)?;
        let AuthorizedRequest { rule, target, .. } = &scanned.0;
        let pinned = self.addresses.pin(target, context.allow_addresses).await?;
        let mut meter = Meter::open(context.budget, rule, sealed.head_bytes, sealed.body_bytes)?;
        let route = Route { owner: context.owner, rule, target };
        let response = self.client.exchange(route, &pinned, sealed.request, &mut meter).await?;
        Ok(response.redacted(redactor).await)
    }
}

impl fmt::Debug for EgressGuard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EgressGuard").finish_non_exhaustive()
    }
}
