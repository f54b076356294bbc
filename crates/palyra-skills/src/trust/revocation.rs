//! Revocations, which are permanent.

use serde::{Deserialize, Serialize};

use crate::digest::Sha256Digest;
use crate::signing::KeyId;

/// A revoked key or release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RevocationTarget {
    /// A key, and every artifact that it signed.
    Key(KeyId),
    /// One release, by its payload digest.
    Payload(Sha256Digest),
}

/// The publishers that a revocation applies to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RevocationScope {
    /// The revocation applies to all publishers.
    Everywhere,
    /// Only the named publisher, so that a publisher cannot revoke releases of another.
    Publisher(String),
}

/// The reason and the source of a revocation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revocation {
    /// The reason, displayed when an artifact is refused.
    pub reason: String,
    /// The operator, feed or publisher that revoked it.
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
        /// The operator's name for the feed.
        feed: String,
        /// The number of the list.
        number: u64,
    },
    /// The publisher of the key or release.
    Publisher {
        /// The name of the publisher.
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
    /// Returns whether the revocation applies to artifacts of a publisher.
    #[must_use]
    pub fn covers(&self, publisher: &str) -> bool {
        match self {
            Self::Everywhere => true,
            Self::Publisher(name) => name == publisher,
        }
    }
}
