//! Revocation lists: signed, numbered and append-only.

use serde::{Deserialize, Serialize};

use crate::digest::Sha256Digest;
use crate::signing::dsse::{Envelope, EnvelopeError};
use crate::signing::strict_json::{StrictJsonError, encode_canonical, parse_canonical};
use crate::signing::{KeyId, KeySet, PublisherKey, SkillSigningKey};

/// The payload type of an envelope with a [`RevocationList`].
pub const REVOCATIONS_PAYLOAD_TYPE: &str = "application/vnd.palyra.revocations.v1+json";

/// Maximum number of entries in one list.
const MAX_LIST_ENTRIES: usize = 100_000;
/// Maximum length of a reason, in bytes.
const MAX_REASON_BYTES: usize = 500;

/// The signed contents of a revocation list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevocationList {
    /// The publisher or feed that signed the list.
    pub issuer: FeedIssuer,
    /// Increases with each list of this issuer; an older list is not applied.
    pub number: u64,
    /// Keys whose signatures are no longer accepted.
    pub keys: Vec<RevokedKey>,
    /// Releases that are no longer accepted.
    pub releases: Vec<RevokedRelease>,
}

/// The issuer of a revocation list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedIssuer {
    /// A publisher, which can revoke its own keys and releases.
    Publisher(String),
    /// A feed that the operator follows, which can revoke any key and release.
    Feed(String),
}

/// The entry of a key in a revocation list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevokedKey {
    /// The id of the key.
    pub key_id: KeyId,
    /// The reason, at most 500 bytes.
    pub reason: String,
}

/// The entry of a release in a revocation list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevokedRelease {
    /// The payload digest of the release.
    pub payload_sha256: Sha256Digest,
    /// The reason, at most 500 bytes.
    pub reason: String,
}

/// A revocation feed that the operator follows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedTrust {
    /// The keys of the feed and the number of them that must sign.
    pub keys: KeySet,
    /// The last list that was applied.
    pub last: Option<FeedMark>,
}

/// Identifies the last list of an issuer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FeedMark {
    /// The number of the list.
    pub number: u64,
    /// The SHA-256 of the signed bytes, which distinguishes two lists with one number.
    pub list: Sha256Digest,
}

/// A list in canonical form. Its signatures are verified when it is applied to a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedRevocations {
    envelope: Envelope,
    list: RevocationList,
    digest: Sha256Digest,
}

/// The reason why a list is not applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum FeedError {
    /// The list is not canonical JSON of this schema.
    #[error("the revocation list is malformed: {0}")]
    Json(#[from] StrictJsonError),
    /// The envelope is invalid.
    #[error("the revocation list: {0}")]
    Envelope(#[from] EnvelopeError),
    /// The list has more than the maximum number of entries.
    #[error("the revocation list has {0} entries, the limit is {MAX_LIST_ENTRIES}")]
    TooLong(usize),
    /// A reason exceeds the maximum length.
    #[error("a reason has {0} bytes, the limit is {MAX_REASON_BYTES}")]
    ReasonTooLong(usize),
    /// The issuer is not a known publisher or feed.
    #[error("unknown issuer `{0}` of the revocation list")]
    UnknownIssuer(String),
    /// Fewer of the issuer's keys signed than its threshold requires.
    #[error("{found} of the issuer's keys signed the list, {needed} are required")]
    Threshold {
        found: u32,
        /// Number of keys that must sign.
        needed: u32,
    },
    /// A list with a higher number was applied before.
    #[error("the list has number {found}, number {known} was already applied")]
    Older {
        /// The number of this list.
        found: u64,
        known: u64,
    },
    /// Another list with the same number was applied before.
    #[error("another list with number {0} was already applied")]
    TwoForOneNumber(u64),
}

/// The result of applying a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedOutcome {
    /// The list was applied.
    Applied {
        /// Number of revocations that were not known before.
        added: usize,
    },
    /// The same list was applied before.
    AlreadyKnown,
}

impl SignedRevocations {
    /// Signs a list. Fails if it exceeds the limits of [`SignedRevocations::read`].
    pub fn sign(list: RevocationList, signers: &[&SkillSigningKey]) -> Result<Self, FeedError> {
        Self::read(Envelope::sign(REVOCATIONS_PAYLOAD_TYPE, &encode_canonical(&list)?, signers))
    }

    /// Reads a list, which must be in canonical form and within the limits. Does not verify signatures.
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

    /// Returns the contents of the list.
    #[must_use]
    pub fn list(&self) -> &RevocationList {
        &self.list
    }

    /// Returns the envelope, for storage or transport.
    #[must_use]
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    pub(super) fn mark(&self) -> FeedMark {
        FeedMark { number: self.list.number, list: self.digest }
    }

    /// Verifies the signatures against the issuer's threshold and compares the number with the last applied list.
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
