//! Why bindings were not changed.

use super::BindingsFault;
use crate::error::StateError;
use palyra_common::ErrorCode;

/// Why bindings were not changed; what is in force stays.
#[derive(Debug, Clone, thiserror::Error)]
pub enum HookError {
    /// The file cannot be read as bindings.
    #[error(transparent)]
    Malformed(#[from] BindingsFault),
    /// There is no file to apply.
    #[error("there is no `hooks/bindings.json` to apply")]
    NoFile,
    /// The file was changed by hand, and a command would write over it.
    #[error("`hooks/bindings.json` is not as it was applied last")]
    FileEdited,
    /// One field of a binding is not acceptable.
    #[error("the `{field}` of binding `{id}` is not acceptable: {reason}")]
    Bad {
        /// The binding.
        id: String,
        /// The field.
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// There is a binding of this id.
    #[error("there is already a binding `{id}`")]
    Exists {
        /// The id.
        id: String,
    },
    /// There is no such binding.
    #[error("there is no binding `{id}`")]
    Unknown {
        /// The id, escaped.
        id: String,
        /// The ids there are.
        known: Vec<String>,
    },
    /// There are as many as there may be.
    #[error("there are {most} bindings already, which is the most")]
    TooMany {
        /// How many there may be.
        most: usize,
    },
    /// The state itself.
    #[error(transparent)]
    State(#[from] StateError),
}

impl HookError {
    /// What a person can do, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Malformed(_) => {
                Some("correct the line, or put the file back with `palyra hooks apply --restore`".into())
            }
            Self::NoFile => {
                Some("`palyra hooks apply --restore` writes one from what is in force".into())
            }
            Self::FileEdited => Some(
                "see `palyra hooks list`, then accept the file with `palyra hooks apply` or put it back with `palyra hooks apply --restore`"
                    .into(),
            ),
            Self::Bad { .. } | Self::Exists { .. } | Self::Unknown { .. } | Self::TooMany { .. } => None,
            Self::State(error) => error.hint(),
        }
    }

    /// The word of this error on every face.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Malformed(_) => ErrorCode::BadBindings,
            Self::NoFile | Self::Unknown { .. } => ErrorCode::NotFound,
            Self::FileEdited => ErrorCode::BindingsEdited,
            Self::Bad { .. } | Self::TooMany { .. } => ErrorCode::InvalidSetting,
            Self::Exists { .. } => ErrorCode::AlreadyExists,
            Self::State(error) => error.code(),
        }
    }
}
