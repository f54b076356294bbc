//! HTTP to a daemon in another process, over its Unix socket, or over TCP for a given URL.
//!
//! One connection for each request: calls are few, and a daemon that ends is noticed at once.

mod connect;
mod place;

pub use place::{Place, PlaceError};

use std::sync::Arc;

use async_trait::async_trait;
use http::header::{AUTHORIZATION, HOST};
use http::{HeaderValue, Request, Response};
use http_body_util::BodyExt;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use zeroize::Zeroizing;

use super::{ApiBody, BodyError, Transport, TransportError};

/// Connection to a daemon in another process.
#[derive(Clone)]
pub struct Remote {
    place: Place,
    token: Option<Arc<Zeroizing<String>>>,
    tls: connect::Tls,
}

impl Remote {
    /// Creates a transport to a daemon. The token is only sent to this place.
    pub fn new(place: Place, token: Option<Zeroizing<String>>) -> Self {
        Self { place, token: token.map(Arc::new), tls: connect::Tls::default() }
    }

    /// Trusts these root certificates in addition to the built-in ones.
    pub fn with_roots(
        mut self,
        roots: Vec<rustls_pki_types::CertificateDer<'static>>,
    ) -> Result<Self, TransportError> {
        self.tls = connect::Tls::with_roots(roots)?;
        Ok(self)
    }

    /// Returns the address of the daemon.
    pub fn place(&self) -> &Place {
        &self.place
    }

    fn address(&self, request: &mut Request<ApiBody>) -> Result<(), TransportError> {
        if let Some(token) = &self.token {
            request.headers_mut().insert(AUTHORIZATION, bearer(token)?);
        }
        let host = HeaderValue::from_str(&self.place.host());
        let broken = |_| TransportError::Broken("the host name has an invalid character".into());
        request.headers_mut().insert(HOST, host.map_err(broken)?);
        Ok(())
    }
}

/// Returns the authorization header of a token, marked as sensitive so that logs of headers omit it.
pub fn bearer(token: &str) -> Result<HeaderValue, TransportError> {
    let broken = |_| TransportError::Broken("the token has an invalid character".into());
    let value = Zeroizing::new(format!("Bearer {token}"));
    let mut value = HeaderValue::from_str(&value).map_err(broken)?;
    value.set_sensitive(true);
    Ok(value)
}

#[async_trait]
impl Transport for Remote {
    async fn send(&self, mut request: Request<ApiBody>) -> Result<Response<ApiBody>, TransportError> {
        self.address(&mut request)?;
        let broken = |error: hyper::Error| TransportError::Broken(error.to_string());
        let stream = connect::connect(&self.place, &self.tls).await?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        tokio::spawn(connection);
        let response = sender.send_request(request).await.map_err(broken)?;
        Ok(response.map(|body| body.map_err(|error| BodyError(error.to_string())).boxed_unsync()))
    }
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Remote").field("place", &self.place).finish_non_exhaustive()
    }
}
