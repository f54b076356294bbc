//! Trusted keys: publishers, revocation feeds, builders, and revocations.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

/// Longest statement that is read.
pub const MAX_STATEMENT_BYTES: usize = 32 << 20;

/// Response of `GET /v1/trust`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TrustList {
    /// Grows by one with every change of trust, index or consent.
    pub generation: u64,
    /// Trusted and blocked publishers, by name.
    pub publishers: Vec<Publisher>,
    /// Trusted revocation feeds.
    pub feeds: Vec<Feed>,
    /// Trusted builders.
    pub builders: Vec<Builder>,
    /// Revocations.
    pub revocations: Vec<Revocation>,
}

/// A publisher in the trust store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Publisher {
    /// Its name.
    pub publisher: String,
    /// Its status.
    pub mode: TrustMode,
    /// Origin of its keys, as text.
    pub origin: Option<String>,
    /// The epoch of its keys.
    pub epoch: Option<u64>,
    /// Number of its keys that must sign.
    pub threshold: Option<u32>,
    /// Its keys.
    pub keys: Vec<PublicKey>,
    /// Keys that were replaced.
    pub past: Vec<PastKeys>,
    /// Reason of the block.
    pub blocked: Option<String>,
    /// The number of its last revocation list.
    pub revocation_list: Option<u64>,
}

/// Response of `GET /v1/trust/publishers/{publisher}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PublisherInfo {
    /// Its record.
    #[serde(flatten)]
    pub publisher: Publisher,
    /// The skills it owns here, installed or not.
    pub skills: Vec<OwnedSkill>,
    /// Revoked keys and releases.
    pub revocations: Vec<Revocation>,
}

/// Trust status of a publisher.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TrustMode {
    /// Its keys were named by an operator.
    Allowlisted,
    /// Its keys were pinned at first contact.
    Pinned,
    /// It is blocked.
    Blocked,
    /// Nothing is known of its keys.
    Unknown,
}

impl TrustMode {
    /// Returns the value in requests and responses.
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
    /// The errors, as text.
    pub ended_by: String,
}

/// A skill of a publisher.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OwnedSkill {
    /// The skill.
    pub skill_id: String,
    /// The newest version that was seen.
    pub newest: Option<String>,
    /// Its release counter.
    pub release_counter: Option<u64>,
}

/// A trusted revocation feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Feed {
    /// Its name.
    pub feed: String,
    /// Number of its keys that must sign.
    pub threshold: u32,
    /// Its keys.
    pub keys: Vec<PublicKey>,
    /// The number of the last list that was applied.
    pub last_number: Option<u64>,
}

/// A trusted builder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Builder {
    /// Its name.
    pub builder: String,
    /// The id of its key.
    pub key_id: String,
    /// Highest trusted SLSA level.
    pub level: u8,
}

/// A revoked key or release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Revocation {
    /// A key or a release.
    pub target: String,
    /// Where it was revoked.
    pub scope: String,
    /// Reason.
    pub reason: String,
    /// The authority.
    pub source: String,
}

/// Public keys and their threshold: the request body to allow or repin a publisher, or to trust a feed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct KeysRequest {
    /// The keys, as `palyra keys export NAME --public` prints them.
    #[schema(min_items = 1)]
    pub keys: Vec<String>,
    /// Number of keys that must sign.
    #[serde(default = "one")]
    #[schema(minimum = 1)]
    pub threshold: u32,
}

/// Request body of `PUT /v1/trust/builders/{builder}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BuilderRequest {
    /// Its key.
    pub key: String,
    /// The highest trusted SLSA level, 1 to 3.
    #[schema(minimum = 1, maximum = 3)]
    pub level: u8,
}

/// Request body of `POST /v1/trust/publishers/{publisher}/block`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockRequest {
    /// Reason.
    #[schema(max_length = 500)]
    pub reason: String,
}

/// A trusted publisher.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Allowed {
    /// `publisher`, `feed` or `builder`.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// The ids of its keys.
    pub keys: Vec<String>,
    /// Number of keys that must sign.
    pub threshold: u32,
    /// Whether it is new.
    pub changed: bool,
}

/// Request body of `POST /v1/trust/statements`: a signed rotation or revocation list, as it was published.
#[derive(Debug, Clone, ToSchema)]
#[schema(value_type = Object)]
pub struct SignedStatement(pub Box<RawValue>);

/// Response of `POST /v1/trust/statements`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AppliedStatement {
    /// `rotation` or `revocations`.
    pub kind: String,
    /// The signers.
    pub issuer: String,
    /// `rotated`, `revoked` or `already_known`.
    pub outcome: String,
    /// The new epoch of a rotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_epoch: Option<u64>,
    /// The number of a revocation list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<u64>,
    /// Number of newly revoked keys and releases.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newly_revoked: Option<u64>,
}

fn one() -> u32 {
    1
}

/// Response of `GET /v1/trust/publishers/{publisher}/history`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PublisherHistory {
    /// The publisher.
    pub publisher: String,
    /// Changes of its keys, newest first, from the newest 1,000 trust events.
    pub changes: Vec<PublisherChange>,
}

/// One change of a publisher's keys or trust.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PublisherChange {
    /// Its sequence number in the journal.
    pub sequence: u64,
    /// Time in Unix milliseconds.
    pub at_ms: u64,
    /// The kind of the event, for example `trust:pinned`.
    pub kind: String,
    /// Principal.
    pub by: Option<String>,
    /// Its details.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub details: serde_json::Value,
}
