//! Tokens: who besides the owner may ask.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The answer of `GET /v1/tokens`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenList {
    /// The tokens, by name.
    pub tokens: Vec<Token>,
}

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Token {
    /// What receipts call its holder.
    pub name: String,
    /// What it may do: `read`, `invoke`, `operate`, `approve`, `admin`.
    pub scopes: Vec<String>,
    /// When it was made, in milliseconds of Unix time.
    pub created_ms: u64,
    /// From when on it is worth nothing.
    pub expires_ms: Option<u64>,
    /// Whether it is worth nothing any more.
    pub expired: bool,
}

/// The body of `POST /v1/tokens`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTokenRequest {
    /// Up to 40 lower-case letters, digits, `-` and `_`.
    pub name: String,
    /// What it may do; no scope implies another.
    pub scopes: Vec<String>,
    /// For how long it is worth something; without this it never expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifetime_seconds: Option<u64>,
}

/// The answer of `POST /v1/tokens`: the only time the secret is shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewToken {
    /// The token.
    pub token: Token,
    /// The secret to send as `Authorization: Bearer`.
    pub secret: String,
}

impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewToken").field("token", &self.token).field("secret", &"****").finish()
    }
}
