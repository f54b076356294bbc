//! Why a call gave nothing.

use crate::Problem;
use palyra_common::ErrorCode;

/// Error of a request to the daemon.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The daemon returned a problem.
    #[error(transparent)]
    Problem(Box<Problem>),
    /// The daemon cannot be reached.
    #[error(transparent)]
    Transport(#[from] TransportError),
    /// The response is not one of this API.
    #[error("{0}")]
    Protocol(String),
}

/// Error of sending a request or receiving its response.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// The server does not respond.
    #[error("cannot connect to a daemon at `{place}`: {reason}")]
    Unreachable {
        /// Address or socket of the daemon.
        place: String,
        /// The operating system error.
        reason: String,
    },
    /// The connection ended before the response was complete.
    #[error("the connection to the daemon failed: {0}")]
    Broken(String),
    /// A token must not be sent to this address.
    #[error("invalid URL of a daemon `{url}`: {reason}")]
    BadAddress {
        /// Address that was rejected.
        url: String,
        /// Why it was rejected.
        reason: String,
    },
}

impl ClientError {
    /// Converts the error to a problem, for callers that only handle problems.
    pub fn into_problem(self) -> Problem {
        match self {
            Self::Problem(problem) => *problem,
            Self::Transport(error @ TransportError::BadAddress { .. }) => {
                Problem::new(ErrorCode::Usage, error.to_string())
            }
            Self::Transport(error) => Problem::new(ErrorCode::Unreachable, error.to_string())
                .hint("check with `palyra daemon status` whether a daemon is running"),
            Self::Protocol(message) => Problem::new(ErrorCode::Unreachable, message),
        }
    }
}
