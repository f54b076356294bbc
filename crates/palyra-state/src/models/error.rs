//! Why a model was not set up or found.

use palyra_common::ErrorCode;

use crate::error::StateError;

/// Why a model was not set up or found.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ModelSettingError {
    /// One field is not acceptable.
    #[error("the `{field}` of model `{name}` is not acceptable: {reason}")]
    Bad {
        /// The model.
        name: String,
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// There is one of this name.
    #[error("model `{name}` exists already")]
    Exists {
        /// The name.
        name: String,
    },
    /// There is none of this name.
    #[error("there is no model `{name}`")]
    Unknown {
        /// The name, escaped.
        name: String,
        /// The names there are.
        known: Vec<String>,
    },
    /// There are as many as there may be.
    #[error("there are {most} models already, which is the most")]
    TooMany {
        /// How many there may be.
        most: usize,
    },
    /// The state itself.
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
