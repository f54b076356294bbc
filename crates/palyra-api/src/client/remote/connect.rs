//! Connections: a Unix socket, TCP, or TCP under TLS.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use palyra_common::fs::ShortPath;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;

use super::Place;
use crate::client::TransportError;

/// Maximum time for the daemon to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A bidirectional byte stream.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send {}
impl<S: AsyncRead + AsyncWrite + Send> Stream for S {}

/// TLS configuration with the trusted root certificates.
#[derive(Clone)]
pub(super) struct Tls(Arc<ClientConfig>);

impl Default for Tls {
    fn default() -> Self {
        Self::of(RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() })
    }
}

impl Tls {
    pub(super) fn with_roots(extra: Vec<CertificateDer<'static>>) -> Result<Self, TransportError> {
        let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        for root in extra {
            let refused =
                |error: rustls::Error| TransportError::Broken(format!("a root certificate: {error}"));
            roots.add(root).map_err(refused)?;
        }
        Ok(Self::of(roots))
    }

    fn of(roots: RootCertStore) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider);
        #[allow(clippy::expect_used, reason = "the provider is this crate's own and has both versions")]
        let builder = builder.with_safe_default_protocol_versions().expect("ring speaks TLS 1.2 and 1.3");
        Self(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
    }
}

pub(super) async fn connect(place: &Place, tls: &Tls) -> Result<Pin<Box<dyn Stream>>, TransportError> {
    let unreachable = |reason: String| TransportError::Unreachable { place: place.to_string(), reason };
    let connecting = async {
        Ok::<Pin<Box<dyn Stream>>, std::io::Error>(match place {
            Place::Socket(path) => {
                let short = ShortPath::of(path)?;
                Box::pin(UnixStream::connect(short.path()).await?)
            }
            Place::Url { tls: false, host, port } => Box::pin(tcp(host, *port).await?),
            Place::Url { tls: true, host, port } => {
                let name = ServerName::try_from(bare(host).to_owned()).map_err(std::io::Error::other)?;
                let stream = tcp(host, *port).await?;
                Box::pin(TlsConnector::from(Arc::clone(&tls.0)).connect(name, stream).await?)
            }
        })
    };
    match tokio::time::timeout(CONNECT_TIMEOUT, connecting).await {
        Ok(connected) => connected.map_err(|error| unreachable(error.to_string())),
        Err(_) => Err(unreachable("connection timed out".into())),
    }
}

async fn tcp(host: &str, port: u16) -> std::io::Result<TcpStream> {
    let stream = TcpStream::connect((bare(host), port)).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Returns an IPv6 address without its brackets.
fn bare(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}
