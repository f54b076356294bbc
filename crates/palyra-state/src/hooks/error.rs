//! Why bindings were not changed.

use super::BindingsFault;
use crate::error::StateError;
use palyra_common::ErrorCode;

/// Why bindings were not changed; what is in force stays.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum HookError {
    /// The file cannot be read as bindings.
    #[error(transparent)]
    Malformed(#[from] BindingsFault),
    /// There is no file to apply.
    #[error("`hooks/bindings.json` does not exist")]
    NoFile,
    /// The file was changed by hand, and a command would write over it.
    #[error("`hooks/bindings.json` differs from the applied bindings")]
    FileEdited,
    /// One field of a binding is not acceptable.
    #[error("invalid `{field}` of binding `{id}`: {reason}")]
    Bad {
        id: String,
        field: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// There is a binding of this id.
    #[error("binding `{id}` already exists")]
    Exists { id: String },
    /// There is no such binding.
    #[error("binding `{id}` does not exist")]
    Unknown { id: String, known: Vec<String> },
    /// There are as many as there may be.
    #[error("the limit of {most} bindings is reached")]
    TooMany {
        /// Maximum number.
        most: usize,
    },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl HookError {
    /// What a person can do, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Malformed(_) => {
                Some("correct the line, or restore the file with `palyra hooks apply --restore`".into())
            }
            Self::NoFile => {
                Some("write one from the applied bindings with `palyra hooks apply --restore`".into())
            }
            Self::FileEdited => Some(
                "see `palyra hooks list`, then accept the file with `palyra hooks apply` or restore it \
                with `palyra hooks apply --restore`"
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
