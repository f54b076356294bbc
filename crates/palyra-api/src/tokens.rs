//! API tokens for principals besides the owner.

pub use palyra_common::Scope as ScopeName;

use palyra_common::ScopeSet;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Response of `GET /v1/tokens`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TokenList {
    /// The tokens, by name.
    pub tokens: Vec<Token>,
}

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Token {
    /// Name of its holder in receipts.
    pub name: String,
    /// Scopes.
    pub scopes: Vec<ScopeName>,
    /// Time at which it was made, in Unix milliseconds.
    pub created_ms: u64,
    /// Time of expiry.
    pub expires_ms: Option<u64>,
    /// Whether it has expired.
    pub expired: bool,
}

/// Request body of `POST /v1/tokens`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewTokenRequest {
    /// Up to 40 lower-case letters, digits, `-` and `_`; `owner` is taken.
    #[schema(pattern = "^[a-z0-9_-]{1,40}$")]
    pub name: String,
    /// Scopes; no scope implies another.
    #[schema(min_items = 1)]
    pub scopes: Vec<ScopeName>,
    /// Lifetime; without it the token never expires.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "crate::bounds::lifetime")]
    #[schema(minimum = 1, maximum = 3155760000i64)]
    pub lifetime_seconds: Option<u64>,
}

/// Response of `POST /v1/tokens`: the only time the secret is shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NewToken {
    /// The token.
    pub token: Token,
    /// The secret to send as `Authorization: Bearer`.
    pub secret: String,
}

impl Token {
    /// Returns the scopes, separated by commas.
    pub fn scope_names(&self) -> String {
        self.scopes.iter().copied().collect::<ScopeSet>().to_string()
    }
}

impl std::fmt::Debug for NewToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("NewToken").field("token", &self.token).field("secret", &"****").finish()
    }
}
