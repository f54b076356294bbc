//! MCP messages both ways.

use http::Method;
use http::header::CONTENT_TYPE;

use super::{ApiBody, Client, ClientError, Transport, request};
use crate::mcp::MESSAGES;

impl<T: Transport> Client<T> {
    /// Carries MCP messages, one a line, to the daemon; its own come back for as long as either side wants.
    pub async fn mcp(&self, messages: ApiBody) -> Result<ApiBody, ClientError> {
        let mut request = request(Method::POST, "/mcp/stdio", messages)?;
        request.headers_mut().insert(CONTENT_TYPE, http::HeaderValue::from_static(MESSAGES));
        Ok(self.open(request).await?.into_body())
    }
}
