//! TLS for connections from other machines.

use std::path::PathBuf;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use super::ServerError;

/// PEM files of a certificate and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsFiles {
    /// The certificate with its intermediate certificates.
    pub certificate: PathBuf,
    /// Path of the private key.
    pub key: PathBuf,
}

/// Creates an acceptor for one protocol: `http/1.1`, or `h2` for gRPC.
pub(super) fn acceptor(files: &TlsFiles, protocol: &str) -> Result<TlsAcceptor, ServerError> {
    let refused = |path: &PathBuf, reason: String| ServerError::Tls { path: path.clone(), reason };
    let certificates =
        CertificateDer::pem_file_iter(&files.certificate).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let certificates = certificates.map_err(|error| refused(&files.certificate, error.to_string()))?;
    if certificates.is_empty() {
        return Err(refused(&files.certificate, "it contains no PEM certificate".into()));
    }
    let key =
        PrivateKeyDer::from_pem_file(&files.key).map_err(|error| refused(&files.key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| refused(&files.certificate, error.to_string()))?;
    let mut config = builder
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| refused(&files.certificate, error.to_string()))?;
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}
