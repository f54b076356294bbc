//! Why a channel was not defined or found.

use crate::error::StateError;
use palyra_common::ErrorCode;

/// Why a channel was not defined or found.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ChannelError {
    /// One field is not acceptable.
    #[error("invalid `{field}` of channel `{name}`: {reason}")]
    Bad {
        name: String,
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// There is one of this name.
    #[error("channel `{name}` already exists")]
    Exists { name: String },
    /// There is none of this name.
    #[error("channel `{name}` does not exist")]
    Unknown { name: String, known: Vec<String> },
    /// There are as many as there may be.
    #[error("the limit of {most} channels is reached")]
    TooMany {
        /// Maximum number.
        most: usize,
    },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl ChannelError {
    /// The word of this error on every face.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Bad { .. } | Self::TooMany { .. } => ErrorCode::InvalidSetting,
            Self::Exists { .. } => ErrorCode::AlreadyExists,
            Self::Unknown { .. } => ErrorCode::NotFound,
            Self::State(error) => error.code(),
        }
    }
}
