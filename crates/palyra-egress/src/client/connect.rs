//! New connections: TCP to a pinned address, TLS for the granted name.

use super::connection::{LiveConnection, RouteKey};
use super::stream::Transport;
use super::{PinnedAddresses, Route};
use crate::error::{EgressError, EgressSetupError};
use crate::limits::CONNECT_TIMEOUT;
use palyra_common::capabilities::{HostPattern, Scheme};
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::{CertificateDer, ServerName};
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// Opens connections. The TLS configuration is built once.
pub(super) struct Connector {
    tls: TlsConnector,
}

impl Connector {
    pub(super) fn new(extra_roots: Vec<CertificateDer<'static>>) -> Result<Self, EgressSetupError> {
        let mut roots = RootCertStore::from_iter(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
        for (index, root) in extra_roots.into_iter().enumerate() {
            roots.add(root).map_err(|source| EgressSetupError::BadRoot { index, source })?;
        }
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        // With a resumed session, a server could recognize that two skills run on the same machine.
        config.resumption = Resumption::disabled();
        Ok(Self { tls: TlsConnector::from(Arc::new(config)) })
    }

    /// Connects to the first pinned address that accepts.
    pub(super) async fn connect(
        &self,
        route: Route<'_>,
        pinned: &PinnedAddresses,
    ) -> Result<LiveConnection, EgressError> {
        let (stream, address) = connect_tcp(&route.target.host, pinned).await?;
        let transport = match route.target.scheme {
            Scheme::Http => Transport::Plain(stream),
            Scheme::Https => self.encrypt(&route.target.host, stream).await?,
        };
        LiveConnection::open(transport, RouteKey::new(route, address)).await
    }

    async fn encrypt(&self, host: &HostPattern, stream: TcpStream) -> Result<Transport, EgressError> {
        let failed =
            |cause: &dyn std::fmt::Display| EgressError::unavailable(format!("no TLS with `{host}`"), cause);
        let name = match host {
            HostPattern::Address(address) => ServerName::IpAddress((*address).into()),
            name => ServerName::try_from(name.to_string()).map_err(|error| failed(&error))?,
        };
        let handshake = tokio::time::timeout(CONNECT_TIMEOUT, self.tls.connect(name, stream)).await;
        let handshake = handshake.map_err(|_| failed(&"the handshake did not finish in time"))?;
        let stream = handshake.map_err(|error| failed(&error))?;
        Ok(Transport::Tls(Box::new(stream)))
    }
}

/// Connects to a pinned address. Errors contain the host but not its address, because guests read them.
async fn connect_tcp(
    host: &HostPattern,
    pinned: &PinnedAddresses,
) -> Result<(TcpStream, SocketAddr), EgressError> {
    let mut last = EgressError::unavailable("no connection", "there is no address");
    for address in pinned.iter() {
        let failed = |cause: &dyn std::fmt::Display| {
            EgressError::unavailable(format!("no connection to `{host}`"), cause)
        };
        match tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                stream.set_nodelay(true).map_err(|error| failed(&error))?;
                return Ok((stream, address));
            }
            Ok(Err(error)) => last = failed(&error),
            Err(_) => last = failed(&"it did not accept in time"),
        }
    }
    Err(last)
}
