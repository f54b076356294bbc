//! Errors of changing an operator's settings.

use palyra_common::{BadSetting, ErrorCode};

use crate::error::StateError;
use crate::skills::SkillError;

/// Error of changing a policy, a profile or a setting; nothing was changed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum PluginSettingError {
    /// A value is invalid.
    #[error("{0}")]
    Bad(#[from] BadSetting),
    /// The manifest declares no setting with this name.
    #[error("`{skill_id}` has no setting `{name}`")]
    NoSuchSetting { skill_id: String, name: String, known: Vec<String> },
    /// The setting was changed after the caller read it.
    #[error("it was based on revision {expected}, the current revision is {found}")]
    Changed {
        /// Revision the change was based on.
        expected: u64,
        found: u64,
    },
    /// The skill is not installed.
    #[error(transparent)]
    Skill(#[from] SkillError),
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl PluginSettingError {
    /// Returns the next step for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Bad(_) => None,
            Self::Changed { .. } => Some("read it again, then repeat the change".into()),
            Self::NoSuchSetting { known, .. } if known.is_empty() => Some("it has no settings".into()),
            Self::NoSuchSetting { known, .. } => Some(format!("it has {}", quoted(known))),
            Self::Skill(error) => error.hint(),
            Self::State(error) => error.hint(),
        }
    }

    /// Returns the error code that every transport reports.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Bad(_) | Self::NoSuchSetting { .. } => ErrorCode::InvalidSetting,
            Self::Changed { .. } => ErrorCode::ChangedMeanwhile,
            Self::Skill(error) => error.code(),
            Self::State(error) => error.code(),
        }
    }
}

fn quoted(names: &[String]) -> String {
    names.iter().take(16).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
