//! Secrets for skills: their names come out, their values only go in.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::SecretBytes;

/// Longest body with a secret: 64 KiB of value, every character of it escaped, and some room for the rest.
pub const MAX_SECRET_BODY_BYTES: usize = ((6 * 64) << 10) + (1 << 10);

/// Response of `GET /v1/vault`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecretList {
    /// Secrets, by name; no value was decrypted.
    pub secrets: Vec<SecretEntry>,
    /// Damaged or missing files.
    pub damaged: Vec<String>,
    /// Location of the device key.
    pub device_key: String,
    /// Protection as text.
    pub protection: String,
}

/// Metadata of a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecretEntry {
    /// Its name, for example `global/github_token`.
    pub secret: String,
    /// Time of creation.
    pub created: String,
    /// Time of the last change.
    pub updated: String,
}

/// Request body of `PUT /v1/vault/{scope}/{key}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PutSecretRequest {
    /// The value.
    pub value: SecretBytes,
    /// Whether a value that is easy to guess is accepted.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_weak: bool,
}

/// Response of `PUT /v1/vault/{scope}/{key}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PutSecretAnswer {
    /// Its name.
    pub secret: String,
    /// Time of creation.
    pub created: String,
    /// Time of the change.
    pub updated: String,
    /// Whether it replaced an earlier value.
    pub replaced: bool,
}

/// Response of `DELETE /v1/vault/{scope}/{key}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RemovedSecret {
    /// The removed secret.
    pub secret: String,
}
