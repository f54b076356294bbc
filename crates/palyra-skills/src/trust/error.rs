//! Why the trust store was not changed.

use super::revocation::RevocationTarget;
use super::rollback::RollbackRefusal;
use crate::signing::KeyId;

/// Why the store was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TrustError {
    /// Nothing is known of the publisher.
    #[error("publisher `{0}` is not known here")]
    UnknownPublisher(String),
    /// The publisher is blocked.
    #[error("publisher `{publisher}` is blocked: {reason}")]
    Blocked {
        /// The publisher.
        publisher: String,
        /// Why.
        reason: String,
    },
    /// The publisher is not blocked.
    #[error("publisher `{0}` is not blocked")]
    NotBlocked(String),
    /// Other keys are believed already.
    #[error("publisher `{0}` is known by other keys")]
    OtherKeys(String),
    /// A revoked key cannot be believed again.
    #[error("{0} is revoked")]
    Revoked(RevocationTarget),
    /// The rotation was signed by keys that are not believed.
    #[error(
        "{found} of the trusted keys of publisher `{publisher}` signed the rotation, {needed} are needed"
    )]
    NotTheirs {
        /// The publisher.
        publisher: String,
        /// How many believed keys signed.
        found: u32,
        /// How many must.
        needed: u32,
    },
    /// The rotation starts where the publisher is not.
    #[error("the rotation starts at epoch {found}, publisher `{publisher}` is at epoch {known}")]
    EpochGap {
        /// The publisher.
        publisher: String,
        /// Where the rotation starts.
        found: u64,
        /// Where the publisher is.
        known: u64,
    },
    /// The rotation returns to a key that was retired.
    #[error("key `{key}` of publisher `{publisher}` was retired, and a rotation cannot bring it back")]
    KeyReturns {
        /// The publisher.
        publisher: String,
        /// The retired key.
        key: KeyId,
    },
    /// The skill has another owner, or a newer release was accepted.
    #[error(transparent)]
    Rollback(Box<RollbackRefusal>),
    /// A build level nobody can reach.
    #[error("a builder has level 1 to 3, not {0}")]
    Level(u8),
    /// Nothing by that name.
    #[error("no {kind} `{name}` is known here")]
    NotFound {
        /// `builder` or `feed`.
        kind: &'static str,
        /// The name.
        name: String,
    },
}

impl From<RollbackRefusal> for TrustError {
    fn from(refusal: RollbackRefusal) -> Self {
        Self::Rollback(Box::new(refusal))
    }
}

impl TrustError {
    /// What a person can do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownPublisher(publisher) => {
                format!("name its key first: `palyra trust allow {publisher} KEY`")
            }
            Self::Blocked { publisher, .. } => {
                format!("end the block with `palyra trust unblock {publisher}`")
            }
            Self::NotBlocked(_) | Self::NotFound { .. } => "`palyra trust list` shows what is known".into(),
            Self::OtherKeys(publisher) => format!(
                "follow the publisher's rotation with `palyra trust apply FILE`, or replace its keys with `palyra \
                 trust repin {publisher} KEY`"
            ),
            Self::Revoked(_) => "nothing un-revokes a key; use another".into(),
            Self::NotTheirs { publisher, .. } => {
                format!(
                    "compare the keys with `palyra trust show {publisher}`; this statement is not its own"
                )
            }
            Self::EpochGap { known, .. } => format!(
                "apply the rotations in order, oldest first; if none is missing, the publisher can write the statement \
                 again with `palyra keys rotate … --epoch {known}`"
            ),
            Self::KeyReturns { .. } => "ask the publisher for a rotation to a new key".into(),
            Self::Rollback(refusal) => refusal.hint(),
            Self::Level(_) => "give the SLSA build level you have checked yourself".into(),
        }
    }
}
