//! Errors of defining or finding something with a name: a channel, or a model.

use palyra_common::ErrorCode;

use crate::error::StateError;

/// Error of defining or finding a channel or a model; `kind` says which.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum DefinitionError {
    /// A field has an invalid value.
    #[error("invalid `{field}` of {kind} `{name}`: {reason}")]
    Bad {
        kind: &'static str,
        name: String,
        field: &'static str,
        /// The rule that the value violates.
        reason: String,
    },
    /// The name is used already.
    #[error("{kind} `{name}` already exists")]
    Exists { kind: &'static str, name: String },
    /// Nothing of this kind has the name.
    #[error("{kind} `{name}` does not exist")]
    Unknown { kind: &'static str, name: String, known: Vec<String> },
    /// The maximum number is reached.
    #[error("the limit of {most} {kind}s is reached")]
    TooMany {
        kind: &'static str,
        /// The limit.
        most: usize,
    },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl DefinitionError {
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
