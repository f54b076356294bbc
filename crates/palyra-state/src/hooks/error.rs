//! Errors of changing bindings.

use super::BindingsFault;
use crate::error::StateError;
use palyra_common::ErrorCode;

/// Error of changing bindings; the bindings in effect are unchanged.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum HookError {
    /// The file cannot be parsed as bindings.
    #[error(transparent)]
    Malformed(#[from] BindingsFault),
    /// The file does not exist.
    #[error("`hooks/bindings.json` does not exist")]
    NoFile,
    /// The file has unapplied edits that a command would overwrite.
    #[error("`hooks/bindings.json` differs from the applied bindings")]
    FileEdited,
    /// A field of a binding has an invalid value.
    #[error("invalid `{field}` of binding `{id}`: {reason}")]
    Bad {
        id: String,
        field: &'static str,
        /// The rule that the value violates.
        reason: String,
    },
    /// A binding with this id already exists.
    #[error("binding `{id}` already exists")]
    Exists { id: String },
    /// No binding has this id.
    #[error("binding `{id}` does not exist")]
    Unknown { id: String, known: Vec<String> },
    /// The maximum number of bindings is reached.
    #[error("the limit of {most} bindings is reached")]
    TooMany {
        /// The limit.
        most: usize,
    },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl HookError {
    /// Returns the next step for the user, if there is one.
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

    /// Returns the error code that every transport reports.
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
