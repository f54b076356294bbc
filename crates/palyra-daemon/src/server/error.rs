//! Errors of starting the listeners.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use palyra_common::fs::FsError;

use crate::access::OwnerTokenError;

/// Reason why the daemon cannot listen.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ServerError {
    /// Without TLS, tokens would be sent unencrypted over this address.
    #[error("`{0}` is not a loopback address, and TLS is not configured")]
    ClearText(SocketAddr),
    /// The address or socket cannot be bound.
    #[error("cannot listen on `{place}`: {source}")]
    Bind {
        /// Address, or path of the socket.
        place: String,
        source: io::Error,
    },
    /// The descriptors of the services are invalid.
    #[error("cannot offer gRPC: {0}")]
    Grpc(String),
    /// The certificate or key is invalid.
    #[error("cannot use `{}` for TLS: {reason}", path.display())]
    Tls { path: PathBuf, reason: String },
    /// The clock is outside of the range in which the HTTP library can write a `Date` header; beyond it, the library
    /// panics.
    #[error("the clock of this machine is outside the years 1970 to 9998")]
    ClockOutOfRange,
    /// A file of the state root cannot be read or written.
    #[error(transparent)]
    File(#[from] FsError),
    /// The owner token cannot be read or created.
    #[error(transparent)]
    OwnerToken(#[from] OwnerTokenError),
}

impl ServerError {
    /// Returns the next step for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::ClearText(_) => Some(
                "pass a certificate with `--tls-cert FILE --tls-key FILE`, or \
                listen on 127.0.0.1 behind a proxy"
                    .into(),
            ),
            Self::Bind { source, .. } if source.kind() == io::ErrorKind::AddrInUse => Some(
                "another program uses it; choose a free port with `--listen 127.0.0.1:0` or \
                    `--grpc-listen 127.0.0.1:0`"
                    .into(),
            ),
            Self::File(error) | Self::OwnerToken(OwnerTokenError::File(error)) => error.hint(),
            Self::OwnerToken(OwnerTokenError::NotAToken) => Some(
                "remove the file; the daemon creates a \
                new one"
                    .into(),
            ),
            Self::ClockOutOfRange => Some("set the clock, then restart the daemon".into()),
            _ => None,
        }
    }

    /// Returns an error if the clock is out of range.
    pub(super) fn check_clock() -> Result<(), Self> {
        if palyra_common::time::is_out_of_range() { Err(Self::ClockOutOfRange) } else { Ok(()) }
    }
}
