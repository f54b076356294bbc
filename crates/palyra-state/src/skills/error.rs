//! Why a skill's state was not changed.

use palyra_common::ErrorCode;
use std::sync::Arc;

use palyra_policy::PolicyDecision;
use palyra_skills::install::InstallRefusal;

use crate::error::StateError;

/// Why a skill's state was not changed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum SkillError {
    /// The artifact is refused; the journal says so, and nothing else changed.
    #[error(transparent)]
    Refused(Box<InstallRefusal>),
    /// The access policy says no; nothing changed.
    #[error("{decision}")]
    Denied {
        skill_id: String,
        version: String,
        /// The decision and its rules.
        decision: Arc<PolicyDecision>,
    },
    /// There is no such skill.
    #[error("`{skill_id}` is not installed")]
    NotInstalled { skill_id: String },
    /// There is no such earlier release.
    #[error("`{skill_id}` has no earlier release{}", version.as_ref().map(|v| format!(" `{v}`")).unwrap_or_default())]
    NoEarlierRelease { skill_id: String, version: Option<String> },
    /// The stored bytes are not those of the index; the release is quarantined now.
    #[error("the stored package of `{skill_id}` failed verification: {reason}")]
    Damaged {
        skill_id: String,
        /// What is wrong with them.
        reason: String,
    },
    /// The name of an alias is not free or not a name.
    #[error("invalid alias `{alias}`: {reason}")]
    Alias { alias: String, reason: String },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl SkillError {
    /// What a person can do, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Refused(refusal) => Some(refusal.hint()),
            Self::Denied { .. } => None,
            Self::NotInstalled { .. } => Some("list the installed skills with `palyra skills list`".into()),
            Self::NoEarlierRelease { skill_id, .. } => {
                Some(format!("see the earlier releases with `palyra skills show {skill_id}`"))
            }
            Self::Damaged { .. } => {
                Some("install the skill again from its `.palyra-skill` file, then enable it".into())
            }
            Self::Alias { .. } => {
                Some("use lower-case letters, digits, `_` and `.`, and a name that no tool has".into())
            }
            Self::State(error) => error.hint(),
        }
    }

    /// The word of this error on every face.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Refused(refusal) => refusal.code(),
            Self::Denied { .. } => ErrorCode::Forbidden,
            Self::NotInstalled { .. } => ErrorCode::NotInstalled,
            Self::NoEarlierRelease { .. } => ErrorCode::NoEarlierRelease,
            Self::Damaged { .. } => ErrorCode::ObjectDamaged,
            Self::Alias { .. } => ErrorCode::AliasRefused,
            Self::State(error) => error.code(),
        }
    }
}

impl From<Box<InstallRefusal>> for SkillError {
    fn from(refusal: Box<InstallRefusal>) -> Self {
        Self::Refused(refusal)
    }
}
