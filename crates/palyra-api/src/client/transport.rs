//! The transport of requests to the daemon.

use std::sync::Arc;

use async_trait::async_trait;
use http::{Request, Response};

use super::{ApiBody, TransportError};

/// One way to the daemon; bodies stream in both directions.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Sends a request and gives the answer as soon as its head is there.
    async fn send(&self, request: Request<ApiBody>) -> Result<Response<ApiBody>, TransportError>;
}

#[async_trait]
impl Transport for Arc<dyn Transport> {
    async fn send(&self, request: Request<ApiBody>) -> Result<Response<ApiBody>, TransportError> {
        (**self).send(request).await
    }
}
