//! Whose keys are believed: publishers, revocation feeds, builders, and what is revoked.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// Longest statement that is read.
pub const MAX_STATEMENT_BYTES: usize = 32 << 20;

/// The answer of `GET /v1/trust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TrustList {
    /// Grows by one with every change of what is believed or installed.
    pub generation: u64,
    /// Everybody who is believed or blocked, by name.
    pub publishers: Vec<Publisher>,
    /// The revocation feeds that are followed.
    pub feeds: Vec<Feed>,
    /// The builders whose provenance is believed.
    pub builders: Vec<Builder>,
    /// What is gone for good.
    pub revocations: Vec<Revocation>,
}

/// What is known of a publisher.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Publisher {
    /// Its name.
    pub publisher: String,
    /// Its state in one word.
    pub mode: TrustMode,
    /// How its keys came here, in words.
    pub origin: Option<String>,
    /// The epoch of its keys.
    pub epoch: Option<u64>,
    /// How many of its keys must sign.
    pub threshold: Option<u32>,
    /// Its keys.
    pub keys: Vec<PublicKey>,
    /// Keys that were replaced.
    pub past: Vec<PastKeys>,
    /// Why nothing of it is accepted.
    pub blocked: Option<String>,
    /// The number of its last revocation list.
    pub revocation_list: Option<u64>,
}

/// The answer of `GET /v1/trust/publishers/{publisher}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PublisherInfo {
    /// What is known of it.
    #[serde(flatten)]
    pub publisher: Publisher,
    /// The skills it owns here, installed or not.
    pub skills: Vec<OwnedSkill>,
    /// What is revoked of it.
    pub revocations: Vec<Revocation>,
}

/// The state of a publisher in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustMode {
    /// Its keys were named by an operator.
    Allowlisted,
    /// Its keys were pinned at first contact.
    Pinned,
    /// Nothing of it is accepted.
    Blocked,
    /// Nothing is known of its keys.
    Unknown,
}

impl TrustMode {
    /// The word.
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Allowlisted => "allowlisted",
            Self::Pinned => "pinned",
            Self::Blocked => "blocked",
            Self::Unknown => "unknown",
        }
    }
}

/// A public key and its id.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PublicKey {
    /// The id.
    pub key_id: String,
    /// The key.
    pub public_key: String,
}

/// Keys that were replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PastKeys {
    /// Their epoch.
    pub epoch: Option<u64>,
    /// The keys.
    pub keys: Vec<PublicKey>,
    /// What ended them, in words.
    pub ended_by: String,
}

/// A skill a publisher owns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OwnedSkill {
    /// The skill.
    pub skill_id: String,
    /// The newest version that was seen.
    pub newest: Option<String>,
    /// Its counter.
    pub release_counter: Option<u64>,
}

/// A revocation feed that is followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Feed {
    /// Its name.
    pub feed: String,
    /// How many of its keys must sign.
    pub threshold: u32,
    /// Its keys.
    pub keys: Vec<PublicKey>,
    /// The number of the last list that was applied.
    pub last_number: Option<u64>,
}

/// A builder whose provenance is believed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Builder {
    /// Its name.
    pub builder: String,
    /// The id of its key.
    pub key_id: String,
    /// Up to which SLSA level.
    pub level: u8,
}

/// Something that is gone for good.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Revocation {
    /// A key or a release.
    pub target: String,
    /// Where it is gone.
    pub scope: String,
    /// Why.
    pub reason: String,
    /// Who says so.
    pub source: String,
}

/// Public keys, of which so many must sign: the body that allows a publisher, repins it, or follows a feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeysRequest {
    /// The keys, as `palyra keys export NAME --public` prints them.
    #[schema(min_items = 1)]
    pub keys: Vec<String>,
    /// How many of them must sign.
    #[serde(default = "one")]
    #[schema(minimum = 1)]
    pub threshold: u32,
}

/// The body of `PUT /v1/trust/builders/{builder}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BuilderRequest {
    /// Its key.
    pub key: String,
    /// The highest SLSA level that is believed, 1 to 3.
    #[schema(minimum = 1, maximum = 3)]
    pub level: u8,
}

/// The body of `POST /v1/trust/publishers/{publisher}/block`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockRequest {
    /// Why.
    #[schema(max_length = 500)]
    pub reason: String,
}

/// Somebody who is believed now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Allowed {
    /// `publisher`, `feed` or `builder`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The ids of its keys.
    pub keys: Vec<String>,
    /// How many of them must sign.
    pub threshold: u32,
    /// Whether that is new.
    pub changed: bool,
}

/// The body of `POST /v1/trust/statements`: a signed rotation or revocation list, as it was published.
#[derive(Debug, Clone, ToSchema)]
#[schema(value_type = Object)]
pub struct SignedStatement(pub Box<RawValue>);

/// The answer of `POST /v1/trust/statements`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AppliedStatement {
    /// `rotation` or `revocations`.
    pub kind: String,
    /// Who signed it.
    pub issuer: String,
    /// `rotated`, `revoked` or `already_known`.
    pub outcome: String,
    /// The epoch that begins with a rotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_epoch: Option<u64>,
    /// The number of a revocation list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// How many keys and releases are newly revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newly_revoked: Option<u64>,
}

fn one() -> u32 {
    1
}

/// The answer of `GET /v1/trust/publishers/{publisher}/history`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PublisherHistory {
    /// The publisher.
    pub publisher: String,
    /// What happened to its keys, newest first, among the newest 1,000 events about trust.
    pub changes: Vec<PublisherChange>,
}

/// One change of what is known of a publisher.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PublisherChange {
    /// Its place in the journal.
    pub sequence: u64,
    /// When, in milliseconds of Unix time.
    pub at_ms: u64,
    /// The kind of the event, as in `trust:pinned`.
    pub kind: String,
    /// On whose behalf.
    pub by: Option<String>,
    /// Its facts.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub details: serde_json::Value,
}
