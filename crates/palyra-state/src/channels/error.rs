//! Why a channel was not defined or found.

use crate::error::StateError;
use palyra_common::ErrorCode;

/// Why a channel was not defined or found.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ChannelError {
    /// One field is not acceptable.
    #[error("the `{field}` of channel `{name}` is not acceptable: {reason}")]
    Bad {
        /// The channel.
        name: String,
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// There is one of this name.
    #[error("there is already a channel `{name}`")]
    Exists {
        /// The name.
        name: String,
    },
    /// There is none of this name.
    #[error("there is no channel `{name}`")]
    Unknown {
        /// The name, escaped.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// There are as many as there may be.
    #[error("there are {most} channels already, which is the most")]
    TooMany {
        /// How many there may be.
        most: usize,
    },
    /// The state itself.
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
