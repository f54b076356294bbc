//! The one egress guard: every request that leaves Palyra is authorised, pinned, counted and redacted here.
//!
//! A request walks one way, and each step returns the type that proves it:
//! [`OutgoingRequest`] → [`EgressGuard::authorize`] (pure) → [`AuthorizedRequest`] → [`EgressGuard::send`] →
//! [`IncomingResponse`], or [`EgressGuard::open`] → [`StreamingResponse`] where the body is read while it comes.
//!
//! What is refused on purpose:
//!
//! - a URL that two programs could read differently: user information, disguised addresses, trailing dots,
//!   backslashes, look-alike letters;
//! - a name when any of its addresses is private, loopback or otherwise closed; the address that was judged
//!   is the address that is connected to;
//! - redirects, decompression, proxies and upgrades: a redirect is handed back, a body stays as it came.
//!
//! Secrets are searched for before the host injects any, and blotted out of what comes back, in the forms
//! that [`Redactor`] lists. A bound host that returns a secret in some other encoding is outside the promise.

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

/// The ceilings of one exchange, whatever a rule allows.
pub mod limits {
    use std::time::Duration;

    /// Longest URL a guest may ask for.
    pub const MAX_URL_BYTES: usize = 8 << 10;
    /// Most header lines of a request, and of a response.
    pub const MAX_HEADERS: usize = 128;
    /// Maximum bytes of the header lines of a request.
    pub const MAX_REQUEST_HEADER_BYTES: usize = 32 << 10;
    /// Maximum bytes of the head of a response.
    pub const MAX_RESPONSE_HEAD_BYTES: usize = 32 << 10;
    /// Most secrets injected into one request.
    pub const MAX_INJECTIONS: usize = 16;
    /// Longest time a name's addresses are trusted before they are asked for again.
    pub const MAX_RESOLUTION_AGE: Duration = Duration::from_secs(30);
    /// Longest time an unused connection is kept.
    pub const MAX_IDLE_AGE: Duration = Duration::from_secs(30);
    /// Longest time for one address to accept a connection, and for the handshake of TLS on it.
    pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
    /// Most addresses of one name that are tried.
    pub const MAX_CONNECT_ATTEMPTS: usize = 8;
    /// Shortest secret that is searched for and redacted; a shorter one would match everywhere.
    pub const MIN_SECRET_BYTES: usize = 4;
}
