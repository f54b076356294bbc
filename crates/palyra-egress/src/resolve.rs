//! Name resolution: once per request, cached for at most 30 seconds, and refused if one address is blocked.

use crate::address;
use crate::denial;
use crate::error::EgressError;
use crate::limits::{MAX_CONNECT_ATTEMPTS, MAX_RESOLUTION_AGE};
use crate::listeners::RefusedListeners;
use crate::request::target::Target;
use async_trait::async_trait;
use ipnet::IpNet;
use palyra_common::BoundedCache;
use palyra_common::capabilities::HostPattern;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Resolves names to addresses.
#[async_trait]
pub trait Resolver: Send + Sync {
    /// Resolves `host` to its addresses, best first.
    async fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<IpAddr>>;
}

/// The resolver of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

#[async_trait]
impl Resolver for SystemResolver {
    async fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<IpAddr>> {
        Ok(tokio::net::lookup_host((host, port)).await?.map(|address| address.ip()).collect())
    }
}

/// Addresses that were checked. Connections use only these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PinnedAddresses(Vec<SocketAddr>);

impl PinnedAddresses {
    pub(crate) fn iter(&self) -> impl Iterator<Item = SocketAddr> {
        self.0.iter().copied()
    }

    pub(crate) fn contain(&self, address: SocketAddr) -> bool {
        self.0.contains(&address)
    }
}

/// Resolves names, caches the addresses and checks them.
pub(crate) struct Addresses {
    resolver: Arc<dyn Resolver>,
    listeners: RefusedListeners,
    lifetime: Duration,
    known: BoundedCache<String, Known>,
}

#[derive(Clone)]
struct Known {
    addresses: Arc<[IpAddr]>,
    resolved_at: Instant,
}

/// Maximum number of cached names.
const MAX_KNOWN: usize = 1_024;

impl Addresses {
    pub(crate) fn new(resolver: Arc<dyn Resolver>, listeners: RefusedListeners, lifetime: Duration) -> Self {
        Self {
            resolver,
            listeners,
            lifetime: lifetime.min(MAX_RESOLUTION_AGE),
            known: BoundedCache::new(MAX_KNOWN),
        }
    }

    /// Resolves a target to addresses, all of which must be open.
    ///
    /// One blocked address among open ones refuses the name: DNS rebinding uses mixed answers to change the address
    /// between the check and the connection.
    pub(crate) async fn pin(&self, target: &Target, allow: &[IpNet]) -> Result<PinnedAddresses, EgressError> {
        let addresses = match &target.host {
            HostPattern::Address(address) => Arc::from([*address]),
            host => self.addresses_of(target, &host.to_string()).await?,
        };
        for address in addresses.iter() {
            address::judge(*address, allow)
                .map_err(|closed| EgressError::Denied(denial::closed_address(target, closed)))?;
            let socket = SocketAddr::new(*address, target.port);
            if self.listeners.contain(socket) {
                return Err(EgressError::Denied(denial::own_listener(target)));
            }
        }
        let sockets =
            addresses.iter().take(MAX_CONNECT_ATTEMPTS).map(|address| SocketAddr::new(*address, target.port));
        Ok(PinnedAddresses(sockets.collect()))
    }

    async fn addresses_of(&self, target: &Target, name: &str) -> Result<Arc<[IpAddr]>, EgressError> {
        if let Some(addresses) = self.remembered(target.origin()) {
            return Ok(addresses);
        }
        let failed = |cause: &dyn std::fmt::Display| {
            EgressError::unavailable(format!("`{name}` cannot be resolved"), cause)
        };
        let addresses = self.resolver.resolve(name, target.port).await.map_err(|error| failed(&error))?;
        if addresses.is_empty() {
            return Err(failed(&"it has no address"));
        }
        let addresses: Arc<[IpAddr]> = addresses.into();
        self.remember(target.origin(), &addresses);
        Ok(addresses)
    }

    fn remembered(&self, origin: &str) -> Option<Arc<[IpAddr]>> {
        let known = self.known.get_if(origin, |known| known.resolved_at.elapsed() < self.lifetime);
        known.map(|known| known.addresses)
    }

    fn remember(&self, origin: &str, addresses: &Arc<[IpAddr]>) {
        if self.lifetime.is_zero() {
            return;
        }
        let entry = Known { addresses: Arc::clone(addresses), resolved_at: Instant::now() };
        self.known.insert(origin.to_owned(), entry);
    }
}
