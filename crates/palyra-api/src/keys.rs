//! The keys that sign skills. Their secret halves never leave the vault but sealed under a passphrase.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::{SecretBytes, SecretText};

/// Response of `GET /v1/keys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeyList {
    /// The keys, by name.
    pub keys: Vec<SigningKey>,
    /// Damaged or missing files.
    pub damaged: Vec<String>,
}

/// A signing key without its secret half.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SigningKey {
    /// Its name in the vault.
    pub name: String,
    /// Its id: `ed25519:` and the SHA-256 of the public half.
    pub key_id: String,
    /// The public key.
    pub public_key: String,
    /// `active`, `retired` or `revoked`.
    pub state: String,
    /// Time of retirement or revocation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Time of creation or import.
    pub created: String,
}

/// Request body of `POST /v1/keys`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewKeyRequest {
    /// Up to 64 lower-case letters, digits, `.`, `_` and `-`.
    #[schema(pattern = "^[a-z0-9][a-z0-9._-]{0,63}$")]
    pub name: String,
}

/// Request body of `POST /v1/keys/{name}/import`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportKeyRequest {
    /// The content of the encrypted key file.
    pub key_file: SecretBytes,
    /// The passphrase of the key file.
    pub passphrase: SecretBytes,
}

/// Request body of `POST /v1/keys/{name}/seal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SealKeyRequest {
    /// The passphrase that encrypts the key file.
    pub passphrase: SecretBytes,
}

/// Response of `POST /v1/keys/{name}/seal`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SealedKey {
    /// The key.
    pub key: SigningKey,
    /// The content of its encrypted key file.
    pub key_file: SecretText,
}

/// Request body of `POST /v1/trust/publishers/{publisher}/rotate`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RotateRequest {
    /// The keys to retire, by name.
    #[schema(min_items = 1)]
    pub from: Vec<String>,
    /// The new keys, by name.
    #[schema(min_items = 1)]
    pub to: Vec<String>,
    /// Number of old keys that must sign.
    #[serde(default = "one")]
    #[schema(minimum = 1)]
    pub from_threshold: u32,
    /// Number of new keys that must sign from now on.
    #[serde(default = "one")]
    #[schema(minimum = 1)]
    pub to_threshold: u32,
    /// The epoch that ends [default: from the known keys or earlier rotations, else 0].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
}

/// Response of `POST /v1/trust/publishers/{publisher}/rotate`; the same request gives the same answer again.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Rotation {
    /// The publisher.
    pub publisher: String,
    /// The epoch that ended.
    pub from_epoch: u64,
    /// The new epoch.
    pub to_epoch: u64,
    /// The ids of the retired keys.
    pub retired: Vec<String>,
    /// The ids of their successors.
    pub new_keys: Vec<String>,
    /// The signed revocation statement.
    #[schema(value_type = Object)]
    pub statement: Box<RawValue>,
    /// The SHA-256 of what was signed.
    pub statement_sha256: String,
}

/// Request body of `POST /v1/keys/{name}/sign`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignReleaseRequest {
    /// The statement of the release, unchanged; it must list the key.
    pub statement: String,
}

/// Response of `POST /v1/keys/{name}/sign`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ReleaseSignature {
    /// The key that signed.
    pub key_id: String,
    /// Base64 of the 64 bytes, over the DSSE encoding of the statement.
    pub signature: String,
}

/// Response of `GET /v1/trust/publishers/{publisher}/succession`: what the next release must say about its keys.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Succession {
    /// The publisher.
    pub publisher: String,
    /// The epoch of the trusted keys, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// The trusted public keys; empty for an unknown publisher.
    pub keys: Vec<String>,
    /// Number of keys that must sign.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<u32>,
    /// Rotation statements signed on this state root, oldest first.
    #[schema(value_type = Vec<Object>)]
    pub statements: Vec<Box<RawValue>>,
}

/// Request body of `POST /v1/keys/{name}/revoke`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RevokeKeyRequest {
    /// Public reason.
    #[schema(max_length = 500)]
    pub reason: String,
    /// The request for a signed revocation statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<RevocationStatement>,
}

/// The revocation statement of a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RevocationStatement {
    /// Principal.
    #[schema(pattern = "^[a-z][a-z0-9]*(_[a-z0-9]+)*$", max_length = 32)]
    pub publisher: String,
    /// The keys that sign it, by name [default: the key itself].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sign_with: Vec<String>,
    /// Its sequence number [default: the next one].
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::bounds::whole")]
    #[schema(maximum = 9007199254740991i64)]
    pub number: Option<u64>,
}

/// Response of `POST /v1/keys/{name}/revoke`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct RevokedKey {
    /// The key.
    pub key: SigningKey,
    /// Reason.
    pub reason: String,
    /// The statement, if requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub statement: Option<Box<RawValue>>,
}

fn one() -> u32 {
    1
}
