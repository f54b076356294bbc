//! Why a call gave nothing.

use crate::Problem;
use palyra_common::ErrorCode;

/// Why a call gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The daemon said why.
    #[error(transparent)]
    Problem(Box<Problem>),
    /// The daemon was not reached.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// Something answered that does not speak this API.
    #[error("{0}")]
    Protocol(String),
}

/// Why a request did not get through.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// Nobody answers there.
    #[error("no daemon answers at `{place}`: {reason}")]
    Unreachable {
        /// Where.
        place: String,
        /// What the system says.
        reason: String,
    },
    /// The connection ended before the answer did.
    #[error("the connection to the daemon broke: {0}")]
    Broken(String),
    /// The address is not one a token may be sent to.
    #[error("`{url}` is not an address of a daemon: {reason}")]
    BadAddress {
        /// The address.
        url: String,
        /// Why not.
        reason: String,
    },
}

impl ClientError {
    /// The same as a problem, for faces that know nothing else.
    pub fn into_problem(self) -> Problem {
        match self {
            Self::Problem(problem) => *problem,
            Self::Transport(error @ TransportError::BadAddress { .. }) => {
                Problem::new(ErrorCode::Usage, error.to_string())
            }
            Self::Transport(error) => Problem::new(ErrorCode::Unreachable, error.to_string())
                .hint("see whether a daemon runs with `palyra daemon status`"),
            Self::Protocol(message) => Problem::new(ErrorCode::Unreachable, message),
        }
    }
}
