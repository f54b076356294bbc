//! Revocation lists: signed, numbered, and never taken back.

use serde::{Deserialize, Serialize};

use crate::digest::Sha256Digest;
use crate::signing::dsse::{Envelope, EnvelopeError};
use crate::signing::strict_json::{StrictJsonError, encode_canonical, parse_canonical};
use crate::signing::{KeyId, KeySet, PublisherKey, SkillSigningKey};

/// The payload type of an envelope around a [`RevocationList`].
pub const REVOCATIONS_PAYLOAD_TYPE: &str = "application/vnd.palyra.revocations.v1+json";

/// Most entries of one list.
const MAX_LIST_ENTRIES: usize = 100_000;
/// Longest reason.
const MAX_REASON_BYTES: usize = 500;

/// What is signed: what is gone, under a number that only grows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevocationList {
    /// The author of the message.
    pub issuer: FeedIssuer,
    /// Grows with each list of this issuer.
    pub number: u64,
    /// Keys that are gone.
    pub keys: Vec<RevokedKey>,
    /// Releases that are gone.
    pub releases: Vec<RevokedRelease>,
}

/// Who speaks in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedIssuer {
    /// A publisher, about its own keys and releases.
    Publisher(String),
    /// A feed the operator follows, about anything.
    Feed(String),
}

/// A key that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevokedKey {
    /// The key.
    pub key_id: KeyId,
    /// Reason.
    pub reason: String,
}

/// A release that is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevokedRelease {
    /// The release.
    pub payload_sha256: Sha256Digest,
    /// Reason.
    pub reason: String,
}

/// A feed the operator follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedTrust {
    /// Its keys and how many must sign.
    pub keys: KeySet,
    /// The last list applied.
    pub last: Option<FeedMark>,
}

/// The last list of an issuer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedMark {
    /// Its number.
    pub number: u64,
    /// The SHA-256 of what was signed.
    pub list: Sha256Digest,
}

/// A list in its one spelling; who signed is checked against the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedRevocations {
    envelope: Envelope,
    list: RevocationList,
    digest: Sha256Digest,
}

/// Why a list is not applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum FeedError {
    /// Not our JSON.
    #[error("the revocation list is malformed: {0}")]
    Json(#[from] StrictJsonError),
    /// The envelope.
    #[error("the revocation list: {0}")]
    Envelope(#[from] EnvelopeError),
    /// Longer than lists get.
    #[error("the revocation list has {0} entries, the limit is {MAX_LIST_ENTRIES}")]
    TooLong(usize),
    /// A reason longer than a reason needs to be.
    #[error("a reason has {0} bytes, the limit is {MAX_REASON_BYTES}")]
    ReasonTooLong(usize),
    /// This issuer is not trusted.
    #[error("unknown issuer `{0}` of the revocation list")]
    UnknownIssuer(String),
    /// Too few of the issuer's keys signed.
    #[error("{found} of the issuer's keys signed the list, {needed} are required")]
    Threshold {
        found: u32,
        /// Number of keys that must sign.
        needed: u32,
    },
    /// An older list.
    #[error("the list has number {found}, number {known} was already applied")]
    Older {
        /// The number of this list.
        found: u64,
        known: u64,
    },
    /// Two lists under one number.
    #[error("another list with number {0} was already applied")]
    TwoForOneNumber(u64),
}

/// What applying a list did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedOutcome {
    /// Applied; so many revocations are new.
    Applied {
        /// How many are new.
        added: usize,
    },
    /// The same list had been applied before.
    AlreadyKnown,
}

impl SignedRevocations {
    /// Signs a list.
    pub fn sign(list: RevocationList, signers: &[&SkillSigningKey]) -> Result<Self, FeedError> {
        Self::read(Envelope::sign(REVOCATIONS_PAYLOAD_TYPE, &encode_canonical(&list)?, signers))
    }

    /// Reads a list in its one spelling.
    pub fn read(envelope: Envelope) -> Result<Self, FeedError> {
        let payload = envelope.open(REVOCATIONS_PAYLOAD_TYPE)?;
        let list: RevocationList = parse_canonical(&payload)?;
        let entries = list.keys.len() + list.releases.len();
        if entries > MAX_LIST_ENTRIES {
            return Err(FeedError::TooLong(entries));
        }
        let keys = list.keys.iter().map(|key| key.reason.len());
        let longest = keys.chain(list.releases.iter().map(|release| release.reason.len())).max();
        if let Some(length) = longest.filter(|length| *length > MAX_REASON_BYTES) {
            return Err(FeedError::ReasonTooLong(length));
        }
        Ok(Self { envelope, list, digest: Sha256Digest::of(&payload) })
    }

    /// Its content.
    #[must_use]
    pub fn list(&self) -> &RevocationList {
        &self.list
    }

    /// The envelope, as it travels.
    #[must_use]
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    pub(super) fn mark(&self) -> FeedMark {
        FeedMark { number: self.list.number, list: self.digest }
    }

    /// Checks that enough of the keys signed, and that the number did not go back.
    pub(super) fn check(
        &self,
        keys: &KeySet,
        usable: impl Fn(&PublisherKey) -> bool,
        last: Option<FeedMark>,
    ) -> Result<FeedOutcome, FeedError> {
        let signers = self.envelope.verify(REVOCATIONS_PAYLOAD_TYPE, keys.keys())?;
        let found = keys.count_signed(signers.iter().filter(|key| usable(key)));
        if found < keys.threshold() {
            return Err(FeedError::Threshold { found, needed: keys.threshold() });
        }
        match last {
            Some(last) if self.list.number < last.number => {
                Err(FeedError::Older { found: self.list.number, known: last.number })
            }
            Some(last) if self.list.number == last.number && last.list != self.digest => {
                Err(FeedError::TwoForOneNumber(last.number))
            }
            Some(last) if self.list.number == last.number => Ok(FeedOutcome::AlreadyKnown),
            _ => Ok(FeedOutcome::Applied { added: 0 }),
        }
    }
}
