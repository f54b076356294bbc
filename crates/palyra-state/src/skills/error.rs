//! Errors of installing or changing a skill.

use palyra_common::ErrorCode;
use std::sync::Arc;

use palyra_policy::PolicyDecision;
use palyra_skills::install::InstallRefusal;

use crate::error::StateError;

/// Error of installing or changing a skill.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum SkillError {
    /// The artifact was refused. The refusal is in the journal; nothing else changed.
    #[error(transparent)]
    Refused(Box<InstallRefusal>),
    /// The access policy denies the action; nothing changed.
    #[error("{decision}")]
    Denied {
        skill_id: String,
        version: String,
        /// The decision and its rules.
        decision: Arc<PolicyDecision>,
    },
    /// The skill is not installed.
    #[error("`{skill_id}` is not installed")]
    NotInstalled { skill_id: String },
    /// The skill has no earlier release with this version, or none at all.
    #[error("`{skill_id}` has no earlier release{}", version.as_ref().map(|v| format!(" `{v}`")).unwrap_or_default())]
    NoEarlierRelease { skill_id: String, version: Option<String> },
    /// The stored package does not match the index; the release is quarantined now.
    #[error("the stored package of `{skill_id}` failed verification: {reason}")]
    Damaged {
        skill_id: String,
        /// Result of the verification.
        reason: String,
    },
    /// The alias is not a valid name, or is in use.
    #[error("invalid alias `{alias}`: {reason}")]
    Alias { alias: String, reason: String },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl SkillError {
    /// Returns the next step for the user, if there is one.
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

    /// Returns the error code that every transport reports.
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
