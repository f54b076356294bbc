//! The release statement: an in-toto Statement about every byte of a skill.

use semver::Version;
use serde::{Deserialize, Serialize};

use super::base64;
use super::key::{KeyError, KeyId, PublisherKey};
use super::key_set::{KeySet, KeySetError};
use super::strict_json::StrictJsonError;
use crate::artifact::EntryDigest;
use crate::digest::Sha256Digest;

/// The type of an in-toto Statement v1.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The payload type of an envelope around one.
pub const STATEMENT_PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";
/// The type of our predicate.
pub const RELEASE_PREDICATE: &str = "urn:palyra:skill-release:v1";
/// The name of the subject that stands for the whole payload; a colon is in no path.
pub const PAYLOAD_SUBJECT: &str = "palyra:payload";
/// The one algorithm a listed key may name.
pub const LISTED_ALGORITHM: &str = "ed25519";

/// What is signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseStatement {
    /// [`STATEMENT_TYPE`].
    #[serde(rename = "_type")]
    pub statement_type: String,
    /// The payload, then every entry but the signature, in order.
    pub subject: Vec<Subject>,
    /// [`RELEASE_PREDICATE`].
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// What the publisher says about them.
    pub predicate: ReleasePredicate,
}

/// A name and the digest of what it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// A path, or [`PAYLOAD_SUBJECT`].
    pub name: String,
    /// Its SHA-256 digest.
    pub digest: DigestSet,
}

/// The digests of a subject; one algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DigestSet {
    /// SHA-256.
    pub sha256: Sha256Digest,
}

/// What a publisher says about a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleasePredicate {
    /// The skill.
    pub skill_id: String,
    /// Its publisher.
    pub publisher: String,
    /// Its version.
    pub version: Version,
    /// Grows with each release.
    pub release_counter: u64,
    /// Grows with each rotation of the publisher's keys.
    pub publisher_epoch: u64,
    /// The publisher's keys of this epoch.
    pub keys: Vec<ListedKey>,
    /// How many of them sign a release.
    pub threshold: u32,
    /// The SHA-256 of `skill.toml`.
    pub manifest_sha256: Sha256Digest,
    /// The digest of the capabilities in normal form.
    pub capabilities_sha256: Sha256Digest,
    /// The digest of everything a model reads.
    pub model_text_sha256: Sha256Digest,
    /// The SHA-256 of the lineage that travels with the signature, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lineage_sha256: Option<Sha256Digest>,
}

/// A key as a statement writes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListedKey {
    /// [`LISTED_ALGORITHM`].
    pub algorithm: String,
    /// Its id, which must be that of the key.
    pub key_id: KeyId,
    /// Base64 of its 32 bytes.
    pub public_key: String,
}

/// Why a statement is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum StatementError {
    /// Not our JSON.
    #[error("the statement is malformed: {0}")]
    Json(StrictJsonError),
    /// Another type of statement or predicate.
    #[error("{field} of the statement is `{found}`, expected `{expected}`")]
    Type {
        /// `_type` or `predicateType`.
        field: &'static str,
        found: String,
        expected: &'static str,
    },
    /// A key of an algorithm that is not used here.
    #[error("unsupported key algorithm `{0}`, expected `{LISTED_ALGORITHM}`")]
    Algorithm(String),
    /// A listed key that is not acceptable.
    #[error("invalid listed key `{id}`: {problem}")]
    Key {
        /// The id it is listed under.
        id: KeyId,
        /// What is wrong with it.
        problem: KeyError,
    },
    /// A key listed under the id of another.
    #[error("a key is listed as `{listed}` but its id is `{actual}`")]
    KeyIdDiffers {
        /// The id in the list.
        listed: KeyId,
        /// The id of the key.
        actual: KeyId,
    },
    /// Keys and threshold that do not go together.
    #[error("invalid keys of the statement: {0}")]
    KeySet(KeySetError),
    /// Listed keys out of order.
    #[error("the keys of the statement are not sorted")]
    Unsorted,
}

impl ReleaseStatement {
    /// A statement about a payload and its entries.
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

    /// Reads a statement in its one spelling and checks the types it names.
    pub fn parse(bytes: &[u8]) -> Result<Self, StatementError> {
        let statement: Self = super::strict_json::parse_canonical(bytes).map_err(StatementError::Json)?;
        check_type("_type", &statement.statement_type, STATEMENT_TYPE)?;
        check_type("predicateType", &statement.predicate_type, RELEASE_PREDICATE)?;
        Ok(statement)
    }
}

impl ReleasePredicate {
    /// The keys it lists, each checked.
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

/// Reads listed keys: known algorithm, acceptable key, id of that key, no key twice, sorted.
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
