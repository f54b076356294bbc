//! What the trust step says about an artifact.

use palyra_common::ErrorCode;
use serde::Serialize;

use super::lineage::LineageProblem;
use super::publisher::KeyOrigin;
use super::revocation::RevocationTarget;
use crate::signing::{KeyId, KeySet};

/// How far the publisher of a sound artifact is believed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum TrustDecision {
    /// Compiled into this program; its publisher's keys do not matter.
    BuiltIn,
    /// Signed by keys an operator named.
    Allowlisted,
    /// Signed by the keys pinned at first contact.
    Pinned,
    /// Signed by new keys that the believed ones handed over to.
    Lineage {
        /// How the first keys came to be believed.
        origin: KeyOrigin,
        /// The epoch believed before.
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
    /// Never seen, and pinning was not permitted.
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

    /// Whether the publisher was believed before this artifact came.
    #[must_use]
    pub fn is_known(&self) -> bool {
        !matches!(self, Self::TofuOffer { .. } | Self::Unknown { .. })
    }
}

/// Why a sound artifact is not believed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustRefusal {
    /// Revoked.
    #[error("{target} is revoked: {reason}")]
    Revoked {
        /// What is revoked.
        target: RevocationTarget,
        /// Why.
        reason: String,
    },
    /// The publisher is blocked.
    #[error("publisher `{publisher}` is blocked: {reason}")]
    Blocked {
        /// The publisher.
        publisher: String,
        /// Why.
        reason: String,
    },
    /// Signed by other keys than those believed.
    #[error("publisher `{publisher}` is known by {}, the artifact is signed by {}", list(.expected), list(.found))]
    KeyMismatch {
        /// The publisher.
        publisher: String,
        /// The keys believed.
        expected: Vec<KeyId>,
        /// The keys that signed.
        found: Vec<KeyId>,
    },
    /// Signed by keys that were replaced.
    #[error("key `{key}` of publisher `{publisher}` was retired")]
    RetiredKey {
        /// The publisher.
        publisher: String,
        /// The retired key.
        key: KeyId,
    },
    /// Fewer believed keys signed than must.
    #[error("publisher `{publisher}` needs {needed} signatures, {found} distinct keys signed")]
    Threshold {
        /// The publisher.
        publisher: String,
        /// How many believed keys signed.
        found: u32,
        /// How many must.
        needed: u32,
    },
    /// Made before the last rotation.
    #[error("the artifact is of epoch {found} of publisher `{publisher}`, which is at epoch {expected}")]
    StaleEpoch {
        /// The publisher.
        publisher: String,
        /// The artifact's epoch.
        found: u64,
        /// The epoch believed.
        expected: u64,
    },
    /// Made after a rotation nobody showed us.
    #[error(
        "the artifact is of epoch {found} of publisher `{publisher}`, which is known at epoch {expected}, and no \
         rotation statement leads there"
    )]
    EpochAhead {
        /// The publisher.
        publisher: String,
        /// The artifact's epoch.
        found: u64,
        /// The epoch believed.
        expected: u64,
    },
    /// A release from elsewhere of a skill that is compiled into the program, by keys that no operator named.
    #[error("skill `{skill_id}` is built in, and publisher `{publisher}` is not on the allowlist")]
    BuiltInSkill {
        /// The skill.
        skill_id: String,
        /// Who signed.
        publisher: String,
    },
    /// The rotation statements that came with it are not one line of succession.
    #[error("the lineage of publisher `{publisher}` does not hold: {problem}")]
    Lineage {
        /// The publisher.
        publisher: String,
        /// What is wrong with it.
        problem: LineageProblem,
    },
    /// Two rotation statements for one epoch: somebody else holds the keys.
    #[error("publisher `{publisher}` signed two different rotations from epoch {epoch}")]
    Forked {
        /// The publisher.
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
            Self::Revoked { .. } => "nothing un-revokes it; ask the publisher for a newer release".into(),
            Self::Blocked { publisher, .. } => {
                format!(
                    "`palyra trust show {publisher}` says why; `palyra trust unblock {publisher}` ends it"
                )
            }
            Self::KeyMismatch { publisher, .. } => format!(
                "if the publisher really changed keys, get its rotation statement and run `palyra trust apply \
                 FILE`; if the old keys are lost, compare the new fingerprint over another channel and run \
                 `palyra trust repin {publisher} KEY`"
            ),
            Self::RetiredKey { .. } | Self::StaleEpoch { .. } => {
                "ask the publisher for a release signed with its present keys".into()
            }
            Self::Threshold { .. } => "ask the publisher for a release signed by enough of its keys".into(),
            Self::EpochAhead { .. } => {
                "get the publisher's rotation statement and run `palyra trust apply FILE`".into()
            }
            Self::BuiltInSkill { publisher, .. } => format!(
                "name the key that may replace it with `palyra trust allow {publisher} KEY`, or give the skill another id"
            ),
            Self::Lineage { problem, .. } if !problem.is_misuse() => {
                "ask the publisher for a release that is built with its own rotation statements".into()
            }
            Self::Forked { publisher, .. } | Self::Lineage { publisher, .. } => format!(
                "its keys are in more than one hand: the publisher is to be blocked; ask it what happened, then \
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
