//! Secrets for skills: their names come out, their values only go in.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::SecretBytes;

/// Longest body with a secret: 64 KiB of value, every character of it escaped, and some room for the rest.
pub const MAX_SECRET_BODY_BYTES: usize = ((6 * 64) << 10) + (1 << 10);

/// The answer of `GET /v1/vault`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecretList {
    /// The secrets, by name; no value was opened.
    pub secrets: Vec<SecretEntry>,
    /// Files that are not as they were written.
    pub damaged: Vec<String>,
    /// Where the device key is kept, in a word.
    pub device_key: String,
    /// What that protects from, in words.
    pub protection: String,
}

/// What is known about a secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecretEntry {
    /// Its name, as in `global/github_token`.
    pub secret: String,
    /// When it was first put.
    pub created: String,
    /// When it was last put.
    pub updated: String,
}

/// The body of `PUT /v1/vault/{scope}/{key}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PutSecretRequest {
    /// The value.
    pub value: SecretBytes,
    /// Whether a value that can be guessed is kept; without it such a value is refused.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_weak: bool,
}

/// The answer of `PUT /v1/vault/{scope}/{key}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PutSecretAnswer {
    /// Its name.
    pub secret: String,
    /// When it was first put.
    pub created: String,
    /// When it was last put: now.
    pub updated: String,
    /// Whether it took the place of an earlier value.
    pub replaced: bool,
}

/// The answer of `DELETE /v1/vault/{scope}/{key}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RemovedSecret {
    /// The secret that is gone.
    pub secret: String,
}
