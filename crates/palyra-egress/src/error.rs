//! Errors of HTTP exchanges.

use crate::limits::MAX_RESPONSE_HEAD_BYTES;
use crate::redactor::Redactor;
use palyra_common::Denial;
use palyra_common::redact::escape_untrusted;
use std::fmt;

/// The reason why a request was not sent, or its response not returned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EgressError {
    /// The request is not granted. Contains the grant that would allow it.
    #[error("{0}")]
    Denied(Denial),
    /// A byte limit of the rule or of the run ([`LimitKind::Egress`](palyra_common::LimitKind::Egress)) was exceeded.
    #[error("{used} bytes exceed the egress limit of {allowed}")]
    Quota {
        /// The limit, in bytes.
        allowed: u64,
        /// The number of bytes used or requested.
        used: u64,
    },
    /// The guest's request is invalid.
    #[error("invalid request: {0}")]
    InvalidRequest(String),
    /// The time limit of the request expired.
    #[error("the request did not finish in time")]
    TimedOut,
    /// The server is not reachable or did not respond with valid HTTP.
    #[error("{0}")]
    Unavailable(String),
}

impl EgressError {
    /// Returns the error with every secret removed from its texts.
    ///
    /// Errors of [`send`](crate::EgressGuard::send) are redacted already. [`authorize`](crate::EgressGuard::authorize)
    /// knows no secrets, so its callers redact the error before they pass it on.
    pub fn redacted(self, redactor: &Redactor) -> Self {
        let clean = |text: String| redactor.redact_string(text);
        match self {
            Self::Denied(denial) => Self::Denied(Denial {
                kind: denial.kind,
                subject: clean(denial.subject),
                reason: clean(denial.reason),
                grant: denial.grant.map(clean),
                manifest: denial.manifest.map(clean),
            }),
            Self::InvalidRequest(text) => Self::InvalidRequest(clean(text)),
            Self::Unavailable(text) => Self::Unavailable(clean(text)),
            Self::Quota { .. } | Self::TimedOut => self,
        }
    }

    pub(crate) fn invalid(text: impl Into<String>) -> Self {
        Self::InvalidRequest(text.into())
    }

    /// Creates an error of the server. The text of `cause` is clipped and kept on one line.
    pub(crate) fn unavailable(what: impl fmt::Display, cause: impl fmt::Display) -> Self {
        let cause: String = cause.to_string().chars().take(300).collect();
        Self::Unavailable(format!("{what}: {}", escape_untrusted(&cause)))
    }

    /// Creates the error for a response head with too many lines or bytes. It counts as one byte over the limit,
    /// because the rest was never read.
    pub(crate) fn oversized_head() -> Self {
        let allowed = MAX_RESPONSE_HEAD_BYTES as u64;
        Self::Quota { allowed, used: allowed + 1 }
    }
}

/// The reason why the guard could not be created.
#[derive(Debug, thiserror::Error)]
pub enum EgressSetupError {
    /// An extra root certificate is invalid.
    #[error("cannot use extra root certificate {index}")]
    BadRoot {
        /// The position in the list, counted from 0.
        index: usize,
        /// The error of the TLS library.
        #[source]
        source: rustls::Error,
    },
    /// TLS cannot be configured.
    #[error("cannot set up TLS")]
    Tls(#[from] rustls::Error),
}
