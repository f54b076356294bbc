//! The transport of requests to the daemon.

use std::sync::Arc;

use async_trait::async_trait;
use http::{Request, Response};

use super::{ApiBody, TransportError};

/// A connection to the daemon; bodies are streamed in both directions.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Sends a request and returns the response as soon as its head has arrived.
    async fn send(&self, request: Request<ApiBody>) -> Result<Response<ApiBody>, TransportError>;
}

#[async_trait]
impl Transport for Arc<dyn Transport> {
    async fn send(&self, request: Request<ApiBody>) -> Result<Response<ApiBody>, TransportError> {
        (**self).send(request).await
    }
}
