//! The daemon's router without a socket, for a command that owns the state itself.

use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use http::header::{AUTHORIZATION, HOST};
use http::{HeaderValue, Request, Response};
use http_body_util::BodyExt;
use palyra_api::client::remote::bearer;
use palyra_api::client::{ApiBody, BodyError};
use palyra_api::{Client, Transport, TransportError};
use tower::ServiceExt;

use crate::access::{OwnerToken, OwnerTokenError};
use crate::app::App;
use crate::transport::http::{Arrival, router};

/// Sends requests to the router of this process, as its owner or as the principal of a token.
#[derive(Clone)]
pub struct InProcess {
    router: Router,
    /// The token; without one, requests are those of the owner.
    token: Option<HeaderValue>,
}

impl InProcess {
    /// Creates a transport to an app in this process.
    pub fn new(app: &Arc<App>) -> Self {
        Self { router: router(app), token: None }
    }

    /// Creates a transport with a token, which has the same permissions as at the socket of a daemon.
    pub fn under(app: &Arc<App>, token: &str) -> Result<Self, UnderTokenError> {
        if let Some(owner) = OwnerToken::read(app.state().root())? {
            app.access().set_owner(&owner);
        }
        Ok(Self { router: router(app), token: Some(bearer(token)?) })
    }

    /// Creates a typed client over an app in this process.
    pub fn client(app: &Arc<App>) -> Client<Self> {
        Client::new(Self::new(app))
    }
}

/// Error of using a token.
#[derive(Debug, thiserror::Error)]
pub enum UnderTokenError {
    /// The text is not a token.
    #[error(transparent)]
    Token(#[from] TransportError),
    /// The owner's token cannot be read.
    #[error(transparent)]
    Owner(#[from] OwnerTokenError),
}

#[async_trait]
impl Transport for InProcess {
    async fn send(&self, mut request: Request<ApiBody>) -> Result<Response<ApiBody>, TransportError> {
        // Extensions can only be set in this process; nothing in a request from outside becomes one.
        let arrival = match &self.token {
            None => Arrival::InProcess,
            Some(token) => {
                request.headers_mut().insert(AUTHORIZATION, token.clone());
                request.headers_mut().insert(HOST, HeaderValue::from_static("localhost"));
                Arrival::Socket
            }
        };
        request.extensions_mut().insert(arrival);
        let request = request.map(axum::body::Body::new);
        let response = match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        Ok(response.map(|body| body.map_err(|error| BodyError(error.to_string())).boxed_unsync()))
    }
}
