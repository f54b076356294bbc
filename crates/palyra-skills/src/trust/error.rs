//! Why the trust store was not changed.

use super::revocation::RevocationTarget;
use super::rollback::RollbackRefusal;
use crate::signing::KeyId;

/// Why the store was not changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum TrustError {
    /// The store has no record of the publisher.
    #[error("publisher `{0}` is unknown")]
    UnknownPublisher(String),
    /// The publisher is blocked.
    #[error("publisher `{publisher}` is blocked: {reason}")]
    Blocked { publisher: String, reason: String },
    /// The publisher is not blocked.
    #[error("publisher `{0}` is not blocked")]
    NotBlocked(String),
    /// Other keys are trusted already.
    #[error("publisher `{0}` has other keys")]
    OtherKeys(String),
    /// A revoked key cannot be trusted again.
    #[error("{0} is revoked")]
    Revoked(RevocationTarget),
    /// The rotation was signed by keys that are not trusted.
    #[error(
        "{found} of the trusted keys of publisher `{publisher}` signed the rotation, {needed} are required"
    )]
    NotTheirs {
        publisher: String,
        /// Number of trusted keys that signed.
        found: u32,
        /// Number of keys that must sign.
        needed: u32,
    },
    /// The rotation starts at an epoch other than the publisher's current one.
    #[error("the rotation starts at epoch {found}, publisher `{publisher}` is at epoch {known}")]
    EpochGap { publisher: String, found: u64, known: u64 },
    /// The rotation introduces a key that was retired.
    #[error("key `{key}` of publisher `{publisher}` was retired, and a rotation cannot bring it back")]
    KeyReturns { publisher: String, key: KeyId },
    /// The skill has another owner, or a newer release was accepted before.
    #[error(transparent)]
    Rollback(Box<RollbackRefusal>),
    /// An invalid build level.
    #[error("invalid builder level {0}: expected 1 to 3")]
    Level(u8),
}

impl From<RollbackRefusal> for TrustError {
    fn from(refusal: RollbackRefusal) -> Self {
        Self::Rollback(Box::new(refusal))
    }
}

impl TrustError {
    /// Returns advice for the user, shown under the message.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::UnknownPublisher(publisher) => {
                format!("allow its key first: `palyra trust allow {publisher} KEY`")
            }
            Self::Blocked { publisher, .. } => {
                format!("unblock it with `palyra trust unblock {publisher}`")
            }
            Self::NotBlocked(_) => "list publishers, feeds and builders with \
                `palyra trust list`"
                .into(),
            Self::OtherKeys(publisher) => format!(
                "apply the publisher's rotation with `palyra trust apply FILE`, or replace its keys with \
                `palyra \
                 trust repin {publisher} KEY`"
            ),
            Self::Revoked(_) => "a revocation is permanent; use another key".into(),
            Self::NotTheirs { publisher, .. } => {
                format!(
                    "compare the keys with `palyra trust show {publisher}`; the publisher did not sign \
                    this statement"
                )
            }
            Self::EpochGap { known, .. } => format!(
                "apply the rotations in order, oldest first; if none is missing, the publisher can create \
                the statement again with `palyra keys rotate … --epoch {known}`"
            ),
            Self::KeyReturns { .. } => "ask the publisher for a rotation to a new key".into(),
            Self::Rollback(refusal) => refusal.hint(),
            Self::Level(_) => "use the SLSA build level that you have verified".into(),
        }
    }
}
