//! Why a model was not set up or found.

use palyra_common::ErrorCode;

use crate::error::StateError;

/// Why a model was not set up or found.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ModelSettingError {
    /// One field is not acceptable.
    #[error("invalid `{field}` of model `{name}`: {reason}")]
    Bad {
        name: String,
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// There is one of this name.
    #[error("model `{name}` already exists")]
    Exists { name: String },
    /// There is none of this name.
    #[error("model `{name}` does not exist")]
    Unknown { name: String, known: Vec<String> },
    /// There are as many as there may be.
    #[error("the limit of {most} models is reached")]
    TooMany {
        /// Maximum number.
        most: usize,
    },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl ModelSettingError {
    /// The code of this error on every transport.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Bad { .. } | Self::TooMany { .. } => ErrorCode::InvalidSetting,
            Self::Exists { .. } => ErrorCode::AlreadyExists,
            Self::Unknown { .. } => ErrorCode::NotFound,
            Self::State(error) => error.code(),
        }
    }
}
