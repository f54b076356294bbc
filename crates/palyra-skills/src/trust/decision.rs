//! What the trust step says about an artifact.

use palyra_common::ErrorCode;
use serde::Serialize;

use super::lineage::LineageProblem;
use super::publisher::KeyOrigin;
use super::revocation::RevocationTarget;
use crate::signing::{KeyId, KeySet};

/// Trust state of the publisher of a valid artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TrustDecision {
    /// Compiled into this program; its publisher's keys do not matter.
    BuiltIn,
    /// Signed by allowlisted keys.
    Allowlisted,
    /// Signed by pinned keys.
    Pinned,
    /// Signed by keys that a rotation introduced.
    Lineage {
        /// Origin of trust in the first keys.
        origin: KeyOrigin,
        /// The previous epoch.
        from_epoch: Option<u64>,
        /// The epoch after the change that is proposed.
        to_epoch: u64,
    },
    /// Never seen; the caller permitted pinning, and these keys can be pinned.
    TofuOffer {
        /// The publisher's keys as the release lists them.
        keys: KeySet,
        /// Their epoch.
        epoch: u64,
    },
    /// Unknown publisher, and pinning was not allowed.
    Unknown {
        /// The publisher's keys as the release lists them.
        keys: KeySet,
    },
}

impl TrustDecision {
    /// Whether the keys stand on an operator's list.
    #[must_use]
    pub fn is_allowlisted(&self) -> bool {
        matches!(self, Self::Allowlisted | Self::Lineage { origin: KeyOrigin::Allowlisted, .. })
    }

    /// Whether the publisher was trusted before this artifact.
    #[must_use]
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::TofuOffer { .. } | Self::Unknown { .. })
    }
}

/// Why a valid artifact is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum TrustRefusal {
    /// Revoked.
    #[error("{target} is revoked: {reason}")]
    Revoked { target: RevocationTarget, reason: String },
    /// The publisher is blocked.
    #[error("publisher `{publisher}` is blocked: {reason}")]
    Blocked { publisher: String, reason: String },
    /// Signed by other keys than those trusted.
    #[error("publisher `{publisher}` is trusted with {}, the artifact is signed by \
        {}", list(.expected), list(.found))]
    KeyMismatch { publisher: String, expected: Vec<KeyId>, found: Vec<KeyId> },
    /// Signed by keys that were replaced.
    #[error("key `{key}` of publisher `{publisher}` was retired")]
    RetiredKey { publisher: String, key: KeyId },
    /// Too few trusted keys signed.
    #[error("publisher `{publisher}` requires {needed} signatures, {found} distinct keys signed")]
    Threshold {
        publisher: String,
        /// Number of trusted keys that signed.
        found: u32,
        /// Number of keys that must sign.
        needed: u32,
    },
    /// Made before the last rotation.
    #[error("the artifact has epoch {found}, publisher `{publisher}` is at epoch {expected}")]
    StaleEpoch { publisher: String, found: u64, expected: u64 },
    /// Signed after an unknown rotation.
    #[error(
        "the artifact has epoch {found}, publisher `{publisher}` is known at epoch {expected}, and no \
        rotation statement connects the two"
    )]
    EpochAhead { publisher: String, found: u64, expected: u64 },
    /// A release from elsewhere of a skill that is compiled into the program, by keys that no operator named.
    #[error("skill `{skill_id}` is built in, and publisher `{publisher}` is not on the allowlist")]
    BuiltInSkill { skill_id: String, publisher: String },
    /// The rotation statements that came with it are not one line of succession.
    #[error("invalid lineage of publisher `{publisher}`: {problem}")]
    Lineage {
        publisher: String,
        /// What is wrong with it.
        problem: LineageProblem,
    },
    /// Two rotation statements for one epoch: the keys are compromised.
    #[error("publisher `{publisher}` signed two different rotations from epoch {epoch}")]
    Forked {
        publisher: String,
        /// The epoch with two successors.
        epoch: u64,
    },
}

impl TrustRefusal {
    /// What a person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Revoked { .. } => "a revocation is permanent; ask the publisher for a newer release".into(),
            Self::Blocked { publisher, .. } => {
                format!(
                    "see the reason with `palyra trust show {publisher}`; unblock it with `palyra trust \
                    unblock {publisher}`"
                )
            }
            Self::KeyMismatch { publisher, .. } => format!(
                "if the publisher really changed keys, get its rotation statement and run `palyra trust apply \
                 FILE`; if the old keys are lost, verify the new fingerprint out of band and run `palyra \
                 trust repin {publisher} KEY`"
            ),
            Self::RetiredKey { .. } | Self::StaleEpoch { .. } => {
                "ask the publisher for a release signed with its current keys".into()
            }
            Self::Threshold { .. } => "ask the publisher for a release signed by enough of its keys".into(),
            Self::EpochAhead { .. } => {
                "get the publisher's rotation statement and run `palyra trust apply FILE`".into()
            }
            Self::BuiltInSkill { publisher, .. } => format!(
                "allow the key that replaces it with `palyra trust allow {publisher} KEY`, or give the \
                skill another id"
            ),
            Self::Lineage { problem, .. } if !problem.is_misuse() => {
                "ask the publisher for a release built with its own rotation statements".into()
            }
            Self::Forked { publisher, .. } | Self::Lineage { publisher, .. } => format!(
                "its keys may be compromised, so the publisher is blocked; ask the publisher what \
                happened, then run \
                 `palyra trust unblock {publisher}` and `palyra trust repin {publisher} KEY`"
            ),
        }
    }

    /// A word for programs.
    #[must_use]
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::Revoked { .. } => ErrorCode::Revoked,
            Self::Blocked { .. } => ErrorCode::PublisherBlocked,
            Self::KeyMismatch { .. } => ErrorCode::KeyMismatch,
            Self::RetiredKey { .. } => ErrorCode::RetiredKey,
            Self::Threshold { .. } => ErrorCode::ThresholdNotMet,
            Self::StaleEpoch { .. } => ErrorCode::StaleEpoch,
            Self::EpochAhead { .. } => ErrorCode::UnknownRotation,
            Self::BuiltInSkill { .. } => ErrorCode::BuiltInSkill,
            Self::Forked { .. } => ErrorCode::PublisherForked,
            Self::Lineage { .. } => ErrorCode::BadLineage,
        }
    }
}

fn list(ids: &[KeyId]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}
