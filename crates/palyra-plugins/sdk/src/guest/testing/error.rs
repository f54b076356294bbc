//! Errors of runs in the harness.

use crate::guest::error::ToolError;

/// The error that a run ended with, of the same kinds as on the real host.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    /// The guest used a capability that is not granted.
    #[error("capability denied: {0}")]
    CapabilityDenied(String),
    /// A limit of the run was reached.
    #[error("quota exceeded: {0}")]
    QuotaExceeded(String),
    /// The guest returned an error.
    #[error("tool failed: {0}")]
    ToolFailed(#[source] ToolError),
    /// The guest panicked; the text is its message.
    #[error("trapped: {0}")]
    Trapped(String),
    /// The output is not JSON.
    #[error("invalid output: {0}")]
    InvalidOutput(String),
}

/// A grant line that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("grant `{line}`: {reason}")]
pub struct GrantLineError {
    /// The line as passed to the harness.
    pub line: String,
    /// The violated rule of the grammar.
    pub reason: &'static str,
}
