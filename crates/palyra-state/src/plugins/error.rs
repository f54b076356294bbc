//! Why an operator's setting was not kept.

use palyra_common::{BadSetting, ErrorCode};

use crate::error::StateError;
use crate::skills::SkillError;

/// Why a policy, a profile or a setting was not kept; nothing changed.
#[derive(Debug, thiserror::Error)]
pub enum PluginSettingError {
    /// A value does not fit.
    #[error("{0}")]
    Bad(#[from] BadSetting),
    /// The manifest has no such setting.
    #[error("`{skill_id}` has no setting `{name}`")]
    NoSuchSetting {
        /// The skill.
        skill_id: String,
        /// The name, escaped.
        name: String,
        /// The settings it has.
        known: Vec<String>,
    },
    /// Somebody changed it meanwhile.
    #[error("it was made from revision {expected}, and revision {found} is in force")]
    Changed {
        /// The one it was made from.
        expected: u64,
        /// The one in force.
        found: u64,
    },
    /// The skill is not there.
    #[error(transparent)]
    Skill(#[from] SkillError),
    /// The state itself.
    #[error(transparent)]
    State(#[from] StateError),
}

impl PluginSettingError {
    /// What a person can do, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Bad(_) => None,
            Self::Changed { .. } => Some("look at it again, then change it again".into()),
            Self::NoSuchSetting { known, .. } if known.is_empty() => Some("it has no settings at all".into()),
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
