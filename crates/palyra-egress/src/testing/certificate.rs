//! A certificate authority for one test.

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::io;
use std::sync::Arc;

/// A root certificate, and a server certificate issued by it.
pub(super) struct TestCertificate {
    pub(super) root: CertificateDer<'static>,
    pub(super) config: Arc<ServerConfig>,
}

/// Creates a root and a certificate for these names and addresses.
pub(super) fn issue(names: &[&str]) -> io::Result<TestCertificate> {
    let mut root_params = CertificateParams::new(Vec::new()).map_err(io::Error::other)?;
    root_params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let root_key = KeyPair::generate().map_err(io::Error::other)?;
    let root = root_params.self_signed(&root_key).map_err(io::Error::other)?;
    let issuer = Issuer::new(root_params, root_key);
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let key = KeyPair::generate().map_err(io::Error::other)?;
    let params = CertificateParams::new(names).map_err(io::Error::other)?;
    let certificate = params.signed_by(&key, &issuer).map_err(io::Error::other)?;
    let private = PrivateKeyDer::try_from(key.serialize_der()).map_err(io::Error::other)?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], private)
        .map_err(io::Error::other)?;
    Ok(TestCertificate { root: root.der().clone(), config: Arc::new(config) })
}
