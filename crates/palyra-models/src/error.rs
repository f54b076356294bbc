//! Errors of requests to models.

use palyra_common::{Denial, ErrorCode};
use std::fmt;
use std::time::Duration;

/// The reason why a model did not respond completely.
///
/// Texts of a provider are clipped, on one line, and without its key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ModelError {
    /// The egress guard denied the request.
    #[error("egress to the model provider denied: {0}")]
    EgressDenied(Denial),
    /// The connection failed or was lost.
    #[error("cannot reach the model provider: {reason}")]
    Unreachable { reason: String },
    /// The provider did not send anything for too long.
    #[error("the model provider timed out ({phase})")]
    TimedOut { phase: TimeoutPhase },
    /// Too many requests. Retries were exhausted or would take too long.
    #[error("the model provider's rate limit was reached: {message}")]
    RateLimited {
        /// The time after which the provider accepts the next request.
        retry_after: Option<Duration>,
        message: String,
    },
    /// The conversation does not fit into the context of the model.
    #[error("the conversation exceeds the context window of the model: {message}")]
    ContextTooLong { message: String },
    /// The provider rejected the request, for example because of its key or an unknown model.
    #[error("the model provider refused the request with status {status}: {message}")]
    Refused { status: u16, message: String },
    /// The provider failed: a 5xx status, or an error inside the stream.
    #[error("the model provider failed{}: {message}", with_status(*.status))]
    ProviderFailed {
        /// The HTTP status; `None` for an error inside of the stream.
        status: Option<u16>,
        message: String,
    },
    /// A frame of the stream is malformed.
    #[error("frame {frame} of the model provider is malformed: {reason}")]
    MalformedFrame {
        /// The number of the frame in its stream, from 1.
        frame: u64,
        /// The parser's message.
        reason: String,
    },
    /// The stream ended before the response was complete.
    #[error("the model provider closed the stream before the response was complete")]
    Truncated,
    /// The response exceeds a limit of the adapter.
    #[error("the response of the model exceeds the limit of {allowed} for {what}")]
    LimitReached {
        /// The limited quantity, such as `frame bytes`.
        what: &'static str,
        allowed: u64,
    },
    /// The request cannot be expressed in the provider's protocol.
    #[error("invalid model request: {reason}")]
    InvalidRequest {
        /// The reason why it cannot be expressed.
        reason: String,
    },
}

impl ModelError {
    /// Returns whether the same request may succeed later without a change.
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

    /// Returns the error code, which is the same on every transport.
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

/// The phase of a response in which a timeout occurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutPhase {
    /// Before the first byte of the response.
    FirstByte,
    /// Between two parts of the response.
    Idle,
    /// Before the end of the response.
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
