//! What can go wrong: on the host's side, and on the tool's own account.

use super::raw::types as wire;
use serde_json::Value;
use std::fmt;

/// The result of a tool or of a helper that fails as a tool.
pub type Result<T, E = ToolError> = std::result::Result<T, E>;

/// Why a host operation did not happen.
///
/// After `Denied` and `QuotaExceeded` the run ends with that verdict, whatever the guest does next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// The operation is not granted; the text names the grant that would have allowed it.
    #[error("denied: {0}")]
    Denied(String),
    /// A limit of this run was reached.
    #[error("quota exceeded: {0}")]
    QuotaExceeded(String),
    /// The arguments are malformed.
    #[error("invalid argument: {0}")]
    InvalidArgument(String),
    /// The other side did not answer in time.
    #[error("timed out")]
    TimedOut,
    /// The other side could not be reached or failed.
    #[error("unavailable: {0}")]
    Unavailable(String),
}

/// What a tool or hook returns when it fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolError {
    /// A short stable word, `[a-z0-9_]+`, for programs.
    pub code: String,
    /// One sentence for people.
    pub message: String,
    /// Further facts, if there are any.
    pub details: Option<Value>,
}

impl ToolError {
    /// The code of an id that this plugin does not have.
    pub const UNKNOWN_TOOL: &str = "unknown_tool";
    /// The code of a hook id that this plugin does not have.
    pub const UNKNOWN_HOOK: &str = "unknown_hook";
    /// The code of input JSON that does not fit the tool's type.
    pub const INVALID_INPUT: &str = "invalid_input";
    /// The code of data from elsewhere that is not what the tool expects.
    pub const INVALID_DATA: &str = "invalid_data";
    /// The code of an HTTP answer outside 200–299.
    pub const HTTP_STATUS: &str = "http_status";

    /// An error with a code for programs and a sentence for people.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into(), details: None }
    }

    /// Adds facts.
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
