//! Errors of host operations, and errors that tools return.

use super::raw::types as wire;
use serde_json::Value;
use std::fmt;

/// The result of a tool, or of a function that fails with a [`ToolError`].
pub type Result<T, E = ToolError> = std::result::Result<T, E>;

/// The reason why a host operation failed.
///
/// After `Denied` and `QuotaExceeded`, the run ends with this error regardless of what the guest returns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// The operation is not granted. The text names the grant that would allow it.
    #[error("denied: {0}")]
    Denied(String),
    /// A limit of the run was reached.
    #[error("quota exceeded: {0}")]
    QuotaExceeded(String),
    /// An argument is invalid.
    #[error("invalid argument: {0}")]
    InvalidArgument(String),
    /// The operation did not complete in time.
    #[error("timed out")]
    TimedOut,
    /// The service is not reachable or failed.
    #[error("unavailable: {0}")]
    Unavailable(String),
}

/// The error that a tool or hook returns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    /// A short stable code for programs, `[a-z0-9_]+`.
    pub code: String,
    /// One sentence for people.
    pub message: String,
    /// Further facts for programs.
    pub details: Option<Value>,
}

impl ToolError {
    /// Code of a call with a tool id that the plugin does not have.
    pub const UNKNOWN_TOOL: &str = "unknown_tool";
    /// Code of an event for a hook id that the plugin does not have.
    pub const UNKNOWN_HOOK: &str = "unknown_hook";
    /// Code of an input that does not match the type of the tool.
    pub const INVALID_INPUT: &str = "invalid_input";
    /// Code of external data in an unexpected form.
    pub const INVALID_DATA: &str = "invalid_data";
    /// Code of an HTTP response with a status outside of 200–299.
    pub const HTTP_STATUS: &str = "http_status";

    /// Creates an error with a code for programs and a sentence for people.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), details: None }
    }

    /// Adds facts for programs.
    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        self.details = Some(details);
        self
    }

    pub(crate) fn invalid_data(what: &str, reason: impl fmt::Display) -> Self {
        Self::new(Self::INVALID_DATA, format!("{what}: {reason}"))
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for ToolError {}

impl From<HostError> for ToolError {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Denied(text) => Self::new("denied", text),
            HostError::QuotaExceeded(text) => Self::new("quota_exceeded", text),
            HostError::InvalidArgument(text) => Self::new("invalid_argument", text),
            HostError::TimedOut => Self::new("timed_out", "the server did not respond in time"),
            HostError::Unavailable(text) => Self::new("unavailable", text),
        }
    }
}

impl From<serde_json::Error> for ToolError {
    fn from(error: serde_json::Error) -> Self {
        Self::invalid_data("not the expected JSON", error)
    }
}

impl From<std::string::FromUtf8Error> for ToolError {
    fn from(error: std::string::FromUtf8Error) -> Self {
        Self::invalid_data("not UTF-8", error)
    }
}

impl From<std::str::Utf8Error> for ToolError {
    fn from(error: std::str::Utf8Error) -> Self {
        Self::invalid_data("not UTF-8", error)
    }
}

impl From<wire::HostError> for HostError {
    fn from(error: wire::HostError) -> Self {
        match error {
            wire::HostError::Denied(text) => Self::Denied(text),
            wire::HostError::QuotaExceeded(text) => Self::QuotaExceeded(text),
            wire::HostError::InvalidArgument(text) => Self::InvalidArgument(text),
            wire::HostError::TimedOut => Self::TimedOut,
            wire::HostError::Unavailable(text) => Self::Unavailable(text),
        }
    }
}

impl From<HostError> for wire::HostError {
    fn from(error: HostError) -> Self {
        match error {
            HostError::Denied(text) => Self::Denied(text),
            HostError::QuotaExceeded(text) => Self::QuotaExceeded(text),
            HostError::InvalidArgument(text) => Self::InvalidArgument(text),
            HostError::TimedOut => Self::TimedOut,
            HostError::Unavailable(text) => Self::Unavailable(text),
        }
    }
}

impl From<ToolError> for wire::ToolError {
    fn from(error: ToolError) -> Self {
        Self {
            code: error.code,
            message: error.message,
            details_json: error.details.map(|details| details.to_string()),
        }
    }
}
