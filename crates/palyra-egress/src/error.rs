//! How an exchange can fail.

use crate::limits::MAX_RESPONSE_HEAD_BYTES;
use crate::redactor::Redactor;
use palyra_common::Denial;
use palyra_common::redact::escape_untrusted;
use std::fmt;

/// Why a request was not sent, or its response not handed back.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EgressError {
    /// Not granted; says what would have granted it.
    #[error("{0}")]
    Denied(Denial),
    /// Over a byte limit of the rule or of the run ([`LimitKind::Egress`](palyra_common::LimitKind::Egress)).
    #[error("{used} bytes exceed the egress limit of {allowed}")]
    Quota {
        /// The limit.
        allowed: u64,
        /// The used or requested resource.
        used: u64,
    },
    /// The guest's own mistake: the request is not one that can be sent.
    #[error("invalid request: {0}")]
    InvalidRequest(String),
    /// The request's own time limit ran out.
    #[error("the request did not finish in time")]
    TimedOut,
    /// The other side did not answer as HTTP asks.
    #[error("{0}")]
    Unavailable(String),
}

impl EgressError {
    /// The same error with every secret blotted out of its texts.
    ///
    /// [`send`](crate::EgressGuard::send) has done this already. [`authorize`](crate::EgressGuard::authorize)
    /// knows no secrets, so its caller does it before the error goes anywhere.
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

    /// A failure of the other side; its words are clipped and kept on one line.
    pub(crate) fn unavailable(what: impl fmt::Display, cause: impl fmt::Display) -> Self {
        let cause: String = cause.to_string().chars().take(300).collect();
        Self::Unavailable(format!("{what}: {}", escape_untrusted(&cause)))
    }

    /// A response head with too many lines or bytes. It counts as one byte over the cap, because the rest
    /// was never read.
    pub(crate) fn oversized_head() -> Self {
        let allowed = MAX_RESPONSE_HEAD_BYTES as u64;
        Self::Quota { allowed, used: allowed + 1 }
    }
}

/// Why the guard could not be built.
#[derive(Debug, thiserror::Error)]
pub enum EgressSetupError {
    /// A root certificate cannot be used.
    #[error("cannot use extra root certificate {index}")]
    BadRoot {
        /// Its place in the list, counted from 0.
        index: usize,
        /// What is wrong with it.
        #[source]
        source: rustls::Error,
    },
    /// TLS cannot be set up at all.
    #[error("cannot set up TLS")]
    Tls(#[from] rustls::Error),
}
