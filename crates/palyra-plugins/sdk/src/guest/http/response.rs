//! HTTP responses.

use super::raw;
use crate::guest::error::ToolError;
use serde::de::DeserializeOwned;
use serde_json::json;

/// A response. A redirect is returned and never followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status code.
    pub status: u16,
    /// The header lines, in the order received.
    pub headers: Vec<(String, String)>,
    /// The complete body, never decompressed.
    pub body: Vec<u8>,
}

impl Response {
    /// Creates a response with this status, for use with a test harness.
    pub fn new(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new() }
    }

    /// Adds a header line, for use with a test harness.
    #[must_use]
    pub fn with_header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Sets the body, for use with a test harness.
    #[must_use]
    pub fn with_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Returns the first header with this name, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.as_str())
    }

    /// Returns the body as text. Fails if it is not UTF-8.
    pub fn text(&self) -> Result<&str, ToolError> {
        std::str::from_utf8(&self.body)
            .map_err(|error| ToolError::invalid_data("the response is not UTF-8", error))
    }

    /// Deserializes the body from JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, ToolError> {
        serde_json::from_slice(&self.body)
            .map_err(|error| ToolError::invalid_data("the response is not the expected JSON", error))
    }

    /// Returns whether the status is 200–299.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }

    /// Returns the response, or an error with code `http_status` if the status is not 200–299.
    pub fn error_for_status(self) -> Result<Self, ToolError> {
        if self.is_success() {
            return Ok(self);
        }
        let message = format!("the server answered {}", self.status);
        Err(ToolError::new(ToolError::HTTP_STATUS, message).with_details(json!({ "status": self.status })))
    }
}

impl From<raw::Response> for Response {
    fn from(response: raw::Response) -> Self {
        let headers = response.headers.into_iter().map(|header| (header.name, header.value)).collect();
        Self { status: response.status, headers, body: response.body }
    }
}
