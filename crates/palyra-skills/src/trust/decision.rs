//! The decision of the trust step about an artifact.

use palyra_common::ErrorCode;
use serde::Serialize;

use super::lineage::LineageProblem;
use super::publisher::KeyOrigin;
use super::revocation::RevocationTarget;
use crate::signing::{KeyId, KeySet};

/// The trust in the publisher of a valid artifact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TrustDecision {
    /// Part of this program, independent of the publisher's keys.
    BuiltIn,
    /// Signed by keys that an operator allowlisted.
    Allowlisted,
    /// Signed by keys that were pinned at the first installation.
    Pinned,
    /// Signed by keys that a rotation of trusted keys introduced.
    Lineage {
        /// The origin of trust in the keys before the rotation.
        origin: KeyOrigin,
        /// The epoch before the rotation, if known.
        from_epoch: Option<u64>,
        /// The epoch after the rotation.
        to_epoch: u64,
    },
    /// Unknown publisher whose keys can be pinned, because the caller permitted it.
    TofuOffer {
        /// The publisher's keys, as listed in the release.
        keys: KeySet,
        /// The epoch of the keys.
        epoch: u64,
    },
    /// Unknown publisher, and pinning is not permitted.
    Unknown {
        /// The publisher's keys, as listed in the release.
        keys: KeySet,
    },
}

impl TrustDecision {
    /// Returns whether trust in the keys comes from an operator's allowlist.
    #[must_use]
    pub fn is_allowlisted(&self) -> bool {
        matches!(self, Self::Allowlisted | Self::Lineage { origin: KeyOrigin::Allowlisted, .. })
    }
}

/// The reason why a valid artifact is not trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum TrustRefusal {
    /// The payload or a signing key is revoked.
    #[error("{target} is revoked: {reason}")]
    Revoked { target: RevocationTarget, reason: String },
    /// The publisher is blocked.
    #[error("publisher `{publisher}` is blocked: {reason}")]
    Blocked { publisher: String, reason: String },
    /// The artifact is signed by other keys than the trusted ones.
    #[error("publisher `{publisher}` is trusted with {}, the artifact is signed by \
        {}", list(.expected), list(.found))]
    KeyMismatch { publisher: String, expected: Vec<KeyId>, found: Vec<KeyId> },
    /// The artifact is signed by keys that were replaced.
    #[error("key `{key}` of publisher `{publisher}` was retired")]
    RetiredKey { publisher: String, key: KeyId },
    /// Fewer trusted keys signed than the threshold requires.
    #[error("publisher `{publisher}` requires {needed} signatures, {found} distinct keys signed")]
    Threshold {
        publisher: String,
        /// Number of trusted keys that signed.
        found: u32,
        /// Number of keys that must sign.
        needed: u32,
    },
    /// The artifact was signed before the last rotation.
    #[error("the artifact has epoch {found}, publisher `{publisher}` is at epoch {expected}")]
    StaleEpoch { publisher: String, found: u64, expected: u64 },
    /// The artifact was signed after a rotation that is not known here.
    #[error(
        "the artifact has epoch {found}, publisher `{publisher}` is known at epoch {expected}, and no \
        rotation statement connects the two"
    )]
    EpochAhead { publisher: String, found: u64, expected: u64 },
    /// A skill that is part of the program is offered from outside, with keys that no operator allowlisted.
    #[error("skill `{skill_id}` is built in, and publisher `{publisher}` is not on the allowlist")]
    BuiltInSkill { skill_id: String, publisher: String },
    /// The rotation statements of the artifact do not form one line.
    #[error("invalid lineage of publisher `{publisher}`: {problem}")]
    Lineage {
        publisher: String,
        /// The problem of the lineage.
        problem: LineageProblem,
    },
    /// The publisher's keys signed two different successors for one epoch, so they are compromised.
    #[error("publisher `{publisher}` signed two different rotations from epoch {epoch}")]
    Forked {
        publisher: String,
        /// The epoch with two successors.
        epoch: u64,
    },
}

impl TrustRefusal {
    /// Returns advice for the user, shown under the message.
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

    /// Returns the stable error code.
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
