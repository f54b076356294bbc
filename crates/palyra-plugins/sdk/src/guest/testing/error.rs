//! How a run in the harness ends when it does not end well.

use crate::guest::error::ToolError;

/// The end of a run, in the kinds of the real host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The guest used something that is not granted.
    #[error("capability denied: {0}")]
    CapabilityDenied(String),
    /// A limit was reached.
    #[error("quota exceeded: {0}")]
    QuotaExceeded(String),
    /// The guest returned its own error.
    #[error("tool failed: {0}")]
    ToolFailed(#[source] ToolError),
    /// The guest panicked.
    #[error("trapped: {0}")]
    Trapped(String),
    /// What came out is not JSON.
    #[error("invalid output: {0}")]
    InvalidOutput(String),
}

/// A grant line that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("grant `{line}`: {reason}")]
pub struct GrantLineError {
    /// The line.
    pub line: String,
    /// What is wrong with it.
    pub reason: &'static str,
}
