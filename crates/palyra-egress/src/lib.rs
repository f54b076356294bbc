//! The egress guard: authorizes, pins, counts and redacts every request that leaves Palyra.
//!
//! A request passes these steps, each of which returns the type that proves it:
//! [`OutgoingRequest`] → [`EgressGuard::authorize`] (pure) → [`AuthorizedRequest`] → [`EgressGuard::send`] →
//! [`IncomingResponse`], or [`EgressGuard::open`] → [`StreamingResponse`] to read the body as it arrives.
//!
//! The guard refuses by design:
//!
//! - a URL that two programs could parse differently: user information, disguised addresses, trailing dots,
//!   backslashes, confusable letters;
//! - a name if any of its addresses is private, loopback or otherwise blocked; connections go only to the addresses
//!   that were checked;
//! - redirects, decompression, proxies and upgrades: a redirect is returned, a body remains as received.
//!
//! Requests are searched for secrets before the host injects any, and responses are redacted, in the encodings that
//! [`Redactor`] lists. A secret that a bound host returns in another encoding is not detected.

#![forbid(unsafe_code)]

mod address;
mod budget;
mod client;
mod denial;
mod error;
mod guard;
mod listeners;
mod redactor;
mod request;
mod resolve;
mod response;
mod rules;
mod secrets;
mod streaming;
#[cfg(feature = "testing")]
pub mod testing;

pub use address::closed_address;
pub use budget::ByteBudget;
pub use error::{EgressError, EgressSetupError};
pub use guard::{EgressConfig, EgressContext, EgressGuard};
pub use redactor::{Redactor, RedactorStream};
pub use request::{AuthorizedRequest, OutgoingRequest};
pub use resolve::{Resolver, SystemResolver};
pub use response::IncomingResponse;
pub use secrets::{GuardedSecret, Injection, InjectionForm};
pub use streaming::StreamingResponse;

pub use ipnet::IpNet;
pub use rustls_pki_types::CertificateDer;

/// Limits of every exchange, independent of its rule.
pub mod limits {
    use std::time::Duration;

    /// Maximum length of a URL, in bytes.
    pub const MAX_URL_BYTES: usize = 8 << 10;
    /// Maximum number of header lines of a request, and of a response.
    pub const MAX_HEADERS: usize = 128;
    /// Maximum size of the header lines of a request, in bytes.
    pub const MAX_REQUEST_HEADER_BYTES: usize = 32 << 10;
    /// Maximum size of the head of a response, in bytes.
    pub const MAX_RESPONSE_HEAD_BYTES: usize = 32 << 10;
    /// Maximum number of secrets injected into one request.
    pub const MAX_INJECTIONS: usize = 16;
    /// Maximum time for which resolved addresses are used.
    pub const MAX_RESOLUTION_AGE: Duration = Duration::from_secs(30);
    /// Maximum time for which an idle connection is kept.
    pub const MAX_IDLE_AGE: Duration = Duration::from_secs(30);
    /// Maximum time for one address to accept a connection, and for the TLS handshake on it.
    pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
    /// Maximum number of addresses of one name that are tried.
    pub const MAX_CONNECT_ATTEMPTS: usize = 8;
    /// Minimum length of a secret that is searched for and redacted, in bytes. A shorter one would match everywhere.
    pub const MIN_SECRET_BYTES: usize = 4;
}
