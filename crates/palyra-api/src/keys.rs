//! The keys that sign skills. Their secret halves never leave the vault but sealed under a passphrase.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::{SecretBytes, SecretText};

/// The answer of `GET /v1/keys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeyList {
    /// The keys, by name.
    pub keys: Vec<SigningKey>,
    /// Files that are not as they were written.
    pub damaged: Vec<String>,
}

/// A signing key without its secret half.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SigningKey {
    /// Its name in the vault.
    pub name: String,
    /// Its id: `ed25519:` and the SHA-256 of the public half.
    pub key_id: String,
    /// The public half, as publishers are known by it.
    pub public_key: String,
    /// `active`, `retired` or `revoked`.
    pub state: String,
    /// When it was retired or revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// When it was made or taken in.
    pub created: String,
}

/// The body of `POST /v1/keys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewKeyRequest {
    /// Up to 64 lower-case letters, digits, `.`, `_` and `-`.
    #[schema(pattern = "^[a-z0-9][a-z0-9._-]{0,63}$")]
    pub name: String,
}

/// The body of `POST /v1/keys/{name}/import`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportKeyRequest {
    /// The text of the key file, sealed as it is.
    pub key_file: SecretBytes,
    /// The passphrase that opens it.
    pub passphrase: SecretBytes,
}

/// The body of `POST /v1/keys/{name}/seal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SealKeyRequest {
    /// The passphrase the key is sealed under.
    pub passphrase: SecretBytes,
}

/// The answer of `POST /v1/keys/{name}/seal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SealedKey {
    /// The key.
    pub key: SigningKey,
    /// The text of its key file, which opens only with the passphrase.
    pub key_file: SecretText,
}

/// The body of `POST /v1/trust/publishers/{publisher}/rotate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RotateRequest {
    /// The keys that end, by name.
    #[schema(min_items = 1)]
    pub from: Vec<String>,
    /// The keys that begin, by name.
    #[schema(min_items = 1)]
    pub to: Vec<String>,
    /// How many of the old keys must sign.
    #[serde(default = "one")]
    #[schema(minimum = 1)]
    pub from_threshold: u32,
    /// How many of the new keys must sign from now on.
    #[serde(default = "one")]
    #[schema(minimum = 1)]
    pub to_threshold: u32,
    /// The epoch that ends. Rarely needed: it is known here, or taken from the rotations signed here, or the first, 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
}

/// The answer of `POST /v1/trust/publishers/{publisher}/rotate`; the same request gives the same answer again.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Rotation {
    /// The publisher.
    pub publisher: String,
    /// The epoch that ended.
    pub from_epoch: u64,
    /// The epoch that begins.
    pub to_epoch: u64,
    /// The ids of the keys that sign no more.
    pub retired: Vec<String>,
    /// The ids of their successors.
    pub new_keys: Vec<String>,
    /// The statement for everybody who trusts the publisher.
    #[schema(value_type = Object)]
    pub statement: Box<RawValue>,
    /// The SHA-256 of what was signed.
    pub statement_sha256: String,
}

/// The body of `POST /v1/keys/{name}/sign`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignReleaseRequest {
    /// The statement of the release, byte for byte; it must list the key.
    pub statement: String,
}

/// The answer of `POST /v1/keys/{name}/sign`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReleaseSignature {
    /// The key that signed.
    pub key_id: String,
    /// Base64 of the 64 bytes, over the DSSE encoding of the statement.
    pub signature: String,
}

/// The answer of `GET /v1/trust/publishers/{publisher}/succession`: what the next release must say about its keys.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Succession {
    /// The publisher.
    pub publisher: String,
    /// The epoch of the keys that are trusted here, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// The public keys that are trusted here; none for a publisher that is not known.
    pub keys: Vec<String>,
    /// How many of them must sign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
    /// Rotation statements that were signed here, in the order they were made.
    #[schema(value_type = Vec<Object>)]
    pub statements: Vec<Box<RawValue>>,
}

/// The body of `POST /v1/keys/{name}/revoke`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RevokeKeyRequest {
    /// Why; others read it.
    #[schema(max_length = 500)]
    pub reason: String,
    /// A statement for everybody who trusts the publisher, if one is wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<RevocationStatement>,
}

/// The statement that tells others of a revoked key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RevocationStatement {
    /// In whose name.
    #[schema(pattern = "^[a-z][a-z0-9]*(_[a-z0-9]+)*$", max_length = 32)]
    pub publisher: String,
    /// The keys that sign it, by name; the key itself where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sign_with: Vec<String>,
    /// Its number, above that of the last one; the next one known here where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::bounds::whole")]
    #[schema(maximum = 9007199254740991i64)]
    pub number: Option<u64>,
}

/// The answer of `POST /v1/keys/{name}/revoke`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RevokedKey {
    /// The key.
    pub key: SigningKey,
    /// Why.
    pub reason: String,
    /// The statement, if one was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub statement: Option<Box<RawValue>>,
}

fn one() -> u32 {
    1
}
