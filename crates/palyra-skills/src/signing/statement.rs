//! The release statement: an in-toto Statement that lists the digest of every entry of a skill.

use semver::Version;
use serde::{Deserialize, Serialize};

use super::base64;
use super::key::{KeyError, KeyId, PublisherKey};
use super::key_set::{KeySet, KeySetError};
use super::strict_json::StrictJsonError;
use crate::artifact::EntryDigest;
use crate::digest::Sha256Digest;

/// The `_type` of an in-toto Statement v1.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The payload type of an envelope with a [`ReleaseStatement`].
pub const STATEMENT_PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// The predicate type of a release.
pub const RELEASE_PREDICATE: &str = "urn:palyra:skill-release:v1";
/// The subject name of the payload digest. Not a valid path, because it contains a colon.
pub const PAYLOAD_SUBJECT: &str = "palyra:payload";
/// The only algorithm that a listed key can name.
pub const LISTED_ALGORITHM: &str = "ed25519";

/// The statement that a publisher signs for a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseStatement {
    /// Always [`STATEMENT_TYPE`].
    #[serde(rename = "_type")]
    pub statement_type: String,
    /// The payload, then every entry except the signature, in archive order.
    pub subject: Vec<Subject>,
    /// Always [`RELEASE_PREDICATE`].
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// The publisher's claims about the release.
    pub predicate: ReleasePredicate,
}

/// A name and the digest of the named bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The path of an entry, or [`PAYLOAD_SUBJECT`].
    pub name: String,
    /// The digest of the entry or of the payload.
    pub digest: DigestSet,
}

/// The digests of a subject, with exactly one algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DigestSet {
    /// The SHA-256, written as 64 lower-case hexadecimal digits.
    pub sha256: Sha256Digest,
}

/// The publisher's claims about a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleasePredicate {
    /// The id, equal to that of the manifest.
    pub skill_id: String,
    /// The publisher, equal to that of the manifest.
    pub publisher: String,
    /// The version, equal to that of the manifest.
    pub version: Version,
    /// Increases with each release; equal to that of the manifest.
    pub release_counter: u64,
    /// Increases by one with each rotation of the publisher's keys.
    pub publisher_epoch: u64,
    /// The publisher's keys in this epoch, sorted.
    pub keys: Vec<ListedKey>,
    /// Number of keys that must sign a release.
    pub threshold: u32,
    /// The SHA-256 of `skill.toml`.
    pub manifest_sha256: Sha256Digest,
    /// The digest of the requested capabilities in canonical form.
    pub capabilities_sha256: Sha256Digest,
    /// The digest of the texts that models can see.
    pub model_text_sha256: Sha256Digest,
    /// The SHA-256 of the lineage in the signature file, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lineage_sha256: Option<Sha256Digest>,
}

/// A key as written in a statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedKey {
    /// Always [`LISTED_ALGORITHM`].
    pub algorithm: String,
    /// The id, which must match the key.
    pub key_id: KeyId,
    /// Base64 of the 32 bytes of the key.
    pub public_key: String,
}

/// The reason why a statement is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum StatementError {
    /// The statement is not canonical JSON of this schema.
    #[error("the statement is malformed: {0}")]
    Json(StrictJsonError),
    /// The statement or the predicate has another type.
    #[error("{field} of the statement is `{found}`, expected `{expected}`")]
    Type {
        /// `_type` or `predicateType`.
        field: &'static str,
        found: String,
        expected: &'static str,
    },
    /// A key has an unsupported algorithm.
    #[error("unsupported key algorithm `{0}`, expected `{LISTED_ALGORITHM}`")]
    Algorithm(String),
    /// A listed key is malformed or weak.
    #[error("invalid listed key `{id}`: {problem}")]
    Key {
        /// The id that it is listed under.
        id: KeyId,
        /// The rule that the key violates.
        problem: KeyError,
    },
    /// A key is listed under another id than its own.
    #[error("a key is listed as `{listed}` but its id is `{actual}`")]
    KeyIdDiffers {
        /// The id in the list.
        listed: KeyId,
        /// The id of the key.
        actual: KeyId,
    },
    /// The keys and the threshold are not a valid key set.
    #[error("invalid keys of the statement: {0}")]
    KeySet(KeySetError),
    /// The listed keys are not sorted.
    #[error("the keys of the statement are not sorted")]
    Unsorted,
}

impl ReleaseStatement {
    /// Creates a statement about a payload and its entries.
    #[must_use]
    pub fn new(payload: Sha256Digest, entries: &[EntryDigest], predicate: ReleasePredicate) -> Self {
        let root = Subject { name: PAYLOAD_SUBJECT.into(), digest: DigestSet { sha256: payload } };
        let subjects = entries
            .iter()
            .map(|entry| Subject { name: entry.path.clone(), digest: DigestSet { sha256: entry.sha256 } });
        Self {
            statement_type: STATEMENT_TYPE.into(),
            subject: std::iter::once(root).chain(subjects).collect(),
            predicate_type: RELEASE_PREDICATE.into(),
            predicate,
        }
    }

    /// Parses a statement, which must be in canonical form, and checks its types.
    pub fn parse(bytes: &[u8]) -> Result<Self, StatementError> {
        let statement: Self = super::strict_json::parse_canonical(bytes).map_err(StatementError::Json)?;
        check_type("_type", &statement.statement_type, STATEMENT_TYPE)?;
        check_type("predicateType", &statement.predicate_type, RELEASE_PREDICATE)?;
        Ok(statement)
    }
}

impl ReleasePredicate {
    /// Returns the listed keys, each checked.
    pub fn key_set(&self) -> Result<KeySet, StatementError> {
        read_listed_keys(&self.keys, self.threshold)
    }
}

impl From<&PublisherKey> for ListedKey {
    fn from(key: &PublisherKey) -> Self {
        Self {
            algorithm: LISTED_ALGORITHM.into(),
            key_id: key.key_id(),
            public_key: base64::encode(key.as_bytes()),
        }
    }
}

/// Checks listed keys: supported algorithm, valid key, matching id, sorted without duplicates.
pub(crate) fn read_listed_keys(listed: &[ListedKey], threshold: u32) -> Result<KeySet, StatementError> {
    let keys = listed.iter().map(read_listed_key).collect::<Result<Vec<_>, _>>()?;
    let set = KeySet::new(keys.iter().copied(), threshold).map_err(StatementError::KeySet)?;
    if keys.is_sorted() { Ok(set) } else { Err(StatementError::Unsorted) }
}

fn read_listed_key(listed: &ListedKey) -> Result<PublisherKey, StatementError> {
    if listed.algorithm != LISTED_ALGORITHM {
        return Err(StatementError::Algorithm(crate::artifact::clip(&listed.algorithm)));
    }
    let refused = |problem| StatementError::Key { id: listed.key_id, problem };
    let bytes = base64::decode_array(&listed.public_key).map_err(|_| refused(KeyError::KeySyntax))?;
    let key = PublisherKey::from_bytes(&bytes).map_err(refused)?;
    if key.key_id() != listed.key_id {
        return Err(StatementError::KeyIdDiffers { listed: listed.key_id, actual: key.key_id() });
    }
    Ok(key)
}

fn check_type(field: &'static str, found: &str, expected: &'static str) -> Result<(), StatementError> {
    if found == expected {
        return Ok(());
    }
    Err(StatementError::Type { field, found: crate::artifact::clip(found), expected })
}
