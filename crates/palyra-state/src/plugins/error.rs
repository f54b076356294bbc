//! Why an operator's setting was not kept.

use palyra_common::{BadSetting, ErrorCode};

use crate::error::StateError;
use crate::skills::SkillError;

/// Why a policy, a profile or a setting was not kept; nothing changed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum PluginSettingError {
    /// A value does not fit.
    #[error("{0}")]
    Bad(#[from] BadSetting),
    /// The manifest has no such setting.
    #[error("`{skill_id}` has no setting `{name}`")]
    NoSuchSetting { skill_id: String, name: String, known: Vec<String> },
    /// It was changed in between.
    #[error("it was based on revision {expected}, the current revision is {found}")]
    Changed {
        /// The one it was made from.
        expected: u64,
        found: u64,
    },
    /// The skill is not there.
    #[error(transparent)]
    Skill(#[from] SkillError),
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl PluginSettingError {
    /// What a person can do, where there is something.
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

    /// The word of this error on every face.
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
