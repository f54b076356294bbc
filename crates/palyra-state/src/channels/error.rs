//! Errors of defining or finding a channel.

use crate::error::StateError;
use palyra_common::ErrorCode;

/// Error of defining or finding a channel.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ChannelError {
    /// A field has an invalid value.
    #[error("invalid `{field}` of channel `{name}`: {reason}")]
    Bad {
        name: String,
        field: &'static str,
        /// The rule that the value violates.
        reason: String,
    },
    /// A channel with this name already exists.
    #[error("channel `{name}` already exists")]
    Exists { name: String },
    /// No channel has this name.
    #[error("channel `{name}` does not exist")]
    Unknown { name: String, known: Vec<String> },
    /// The maximum number of channels is reached.
    #[error("the limit of {most} channels is reached")]
    TooMany {
        /// The limit.
        most: usize,
    },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl ChannelError {
    /// Returns the error code that every transport reports.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Bad { .. } | Self::TooMany { .. } => ErrorCode::InvalidSetting,
            Self::Exists { .. } => ErrorCode::AlreadyExists,
            Self::Unknown { .. } => ErrorCode::NotFound,
            Self::State(error) => error.code(),
        }
    }
}
