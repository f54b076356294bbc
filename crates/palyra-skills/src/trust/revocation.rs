//! What is gone for good. Revocations only ever grow.

use serde::{Deserialize, Serialize};

use crate::digest::Sha256Digest;
use crate::signing::KeyId;

/// What is revoked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RevocationTarget {
    /// A key, and with it everything it signs.
    Key(KeyId),
    /// One release, by its payload.
    Payload(Sha256Digest),
}

/// Where a revocation counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RevocationScope {
    /// For every publisher.
    Everywhere,
    /// Only for its own publisher: a publisher cannot revoke releases of another.
    Publisher(String),
}

/// Why something is revoked and who said so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revocation {
    /// Reason.
    pub reason: String,
    /// The source of the statement.
    pub source: RevocationSource,
}

/// The source of a revocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum RevocationSource {
    /// The operator of this machine.
    Operator,
    /// A feed the operator follows.
    Feed {
        /// Its name.
        feed: String,
        /// The number of the list.
        number: u64,
    },
    /// The publisher itself.
    Publisher {
        /// Its name.
        publisher: String,
        /// The number of the list.
        number: u64,
    },
}

impl std::fmt::Display for RevocationTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Key(id) => write!(f, "key `{id}`"),
            Self::Payload(digest) => write!(f, "release `{digest}`"),
        }
    }
}

impl RevocationScope {
    /// Whether it counts for a publisher's artifact.
    #[must_use]
    pub fn covers(&self, publisher: &str) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Publisher(name) => name == publisher,
        }
    }
}
