//! Errors of configuring or finding a model.

use palyra_common::ErrorCode;

use crate::error::StateError;

/// Error of configuring or finding a model.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ModelSettingError {
    /// A field has an invalid value.
    #[error("invalid `{field}` of model `{name}`: {reason}")]
    Bad {
        name: String,
        field: &'static str,
        /// The rule that the value violates.
        reason: String,
    },
    /// A model with this name already exists.
    #[error("model `{name}` already exists")]
    Exists { name: String },
    /// No model has this name.
    #[error("model `{name}` does not exist")]
    Unknown { name: String, known: Vec<String> },
    /// The maximum number of models is reached.
    #[error("the limit of {most} models is reached")]
    TooMany {
        /// The limit.
        most: usize,
    },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl ModelSettingError {
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
