//! MCP messages both ways.

use http::Method;
use http::header::CONTENT_TYPE;

use super::{ApiBody, Client, ClientError, Transport, request};
use crate::mcp::MESSAGES;

impl<T: Transport> Client<T> {
    /// Sends MCP messages, one per line, to the daemon; returns its messages as a stream until either side closes.
    pub async fn mcp(&self, messages: ApiBody) -> Result<ApiBody, ClientError> {
        let mut request = request(Method::POST, "/mcp/stdio", messages)?;
        request.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static(MESSAGES));
        Ok(self.open(request).await?.into_body())
    }
}
