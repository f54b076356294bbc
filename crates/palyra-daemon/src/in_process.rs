//! The daemon's router without a socket: what a command uses that owns the state itself.

use std::sync::Arc;

use async_trait::async_trait;
use axum::Router;
use http::{Request, Response};
use http_body_util::BodyExt;
use palyra_api::client::{ApiBody, BodyError};
use palyra_api::{Client, Transport, TransportError};
use tower::ServiceExt;

use crate::app::App;
use crate::transport::http::{Arrival, router};

/// Carries requests to the router of this process, as its owner.
#[derive(Clone)]
pub struct InProcess {
    router: Router,
}

impl InProcess {
    /// Over an app of this process.
    pub fn new(app: &Arc<App>) -> Self {
        Self { router: router(app) }
    }

    /// The typed client over it.
    pub fn client(app: &Arc<App>) -> Client<Self> {
        Client::new(Self::new(app))
    }
}

#[async_trait]
impl Transport for InProcess {
    async fn send(&self, mut request: Request<ApiBody>) -> Result<Response<ApiBody>, TransportError> {
        // Only this process can set an extension; nothing on a wire becomes one.
        request.extensions_mut().insert(Arrival::InProcess);
        let request = request.map(axum::body::Body::new);
        let response = match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        Ok(response.map(|body| body.map_err(|error| BodyError(error.to_string())).boxed_unsync()))
    }
}
