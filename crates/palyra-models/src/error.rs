//! How a request to a model can fail.

use palyra_common::{Denial, ErrorCode};
use std::fmt;
use std::time::Duration;

/// Why a model did not answer, or not to the end.
///
/// Texts of a provider are clipped, on one line, and free of its key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ModelError {
    /// The egress guard refused the request.
    #[error("egress to the model provider denied: {0}")]
    EgressDenied(Denial),
    /// No connection, or one that broke.
    #[error("cannot reach the model provider: {reason}")]
    Unreachable { reason: String },
    /// The provider was silent for too long.
    #[error("the model provider timed out ({phase})")]
    TimedOut { phase: TimeoutPhase },
    /// Too many requests; retries were used up or would have taken too long.
    #[error("the model provider's rate limit was reached: {message}")]
    RateLimited {
        /// When the provider expects the next request.
        retry_after: Option<Duration>,
        message: String,
    },
    /// The conversation does not fit into the context of the model.
    #[error("the conversation exceeds the context window of the model: {message}")]
    ContextTooLong { message: String },
    /// The provider refused the request, for example for its key or an unknown model.
    #[error("the model provider refused the request with status {status}: {message}")]
    Refused { status: u16, message: String },
    /// The provider failed: a 5xx status, or an error inside the stream.
    #[error("the model provider failed{}: {message}", with_status(*.status))]
    ProviderFailed {
        /// HTTP status; `None` when the failure came inside the stream.
        status: Option<u16>,
        message: String,
    },
    /// A frame of the stream cannot be read.
    #[error("frame {frame} of the model provider is malformed: {reason}")]
    MalformedFrame {
        /// Number of the frame within its stream, from 1.
        frame: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// The stream ended before the answer did.
    #[error("the model provider closed the stream before the response was complete")]
    Truncated,
    /// The answer is larger than the adapter accepts.
    #[error("the response of the model exceeds the limit of {allowed} for {what}")]
    LimitReached {
        /// What is counted, such as `frame bytes`.
        what: &'static str,
        allowed: u64,
    },
    /// The request cannot be expressed in the provider's protocol.
    #[error("invalid model request: {reason}")]
    InvalidRequest {
        /// What is wrong with it.
        reason: String,
    },
}

impl ModelError {
    /// Whether the same request may succeed later without a change.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::TimedOut { .. }
            | Self::RateLimited { .. }
            | Self::ProviderFailed { .. }
            | Self::Truncated => true,
            Self::EgressDenied(_)
            | Self::ContextTooLong { .. }
            | Self::Refused { .. }
            | Self::MalformedFrame { .. }
            | Self::LimitReached { .. }
            | Self::InvalidRequest { .. } => false,
        }
    }

    /// The code on every transport.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::EgressDenied(_) => ErrorCode::CapabilityDenied,
            Self::Unreachable { .. } | Self::ProviderFailed { .. } | Self::Truncated => {
                ErrorCode::Unreachable
            }
            Self::TimedOut { .. } => ErrorCode::TimedOut,
            Self::RateLimited { .. } => ErrorCode::RateLimited,
            Self::ContextTooLong { .. } | Self::LimitReached { .. } => ErrorCode::QuotaExceeded,
            Self::MalformedFrame { .. } => ErrorCode::InvalidOutput,
            Self::Refused { .. } | Self::InvalidRequest { .. } => ErrorCode::InvalidInput,
        }
    }
}

fn with_status(status: Option<u16>) -> String {
    status.map(|status| format!(" with status {status}")).unwrap_or_default()
}

/// What was waited for when time ran out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutPhase {
    /// The first byte of the answer.
    FirstByte,
    /// The next bytes of an answer that had begun.
    Idle,
    /// The end of the answer.
    Total,
}

impl fmt::Display for TimeoutPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::FirstByte => "waiting for the first byte",
            Self::Idle => "waiting for more of the response",
            Self::Total => "waiting for the end of the response",
        })
    }
}
