//! API tokens: principals besides the owner, with scopes and an optional expiry.
//!
//! Only the hash of a secret is stored; the secret is shown once, when the token is created. A repair removes
//! all tokens, because an older database could contain a removed one.

use std::collections::BTreeMap;

use palyra_common::principal::OWNER;
use palyra_common::text::clip_untrusted;
use palyra_common::{ErrorCode, Principal, Scope, ScopeSet};
use palyra_journal::EventKind;
use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};
use serde_json::json;
use zeroize::Zeroizing;

use crate::commit::Change;
use crate::db::{RowChange, SealedTable};
use crate::error::StateError;
use crate::view::View;

/// Maximum number of tokens.
pub const MAX_TOKENS: usize = 1_000;
/// Maximum length of a token name in bytes.
pub const MAX_TOKEN_NAME: usize = 40;
const PREFIX: &str = "palyra_";

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenRecord {
    /// Name of its principal in receipts and lists.
    pub name: String,
    /// Actions that the token permits, subject to the access policy.
    pub scopes: ScopeSet,
    /// SHA-256 of the secret, which is the identity of the principal.
    pub digest: Sha256Digest,
    /// Creation time in Unix milliseconds.
    pub created_ms: u64,
    /// Expiry time in Unix milliseconds; `None` for a token without expiry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_ms: Option<u64>,
    /// First token of the chain of tokens that created this one; `None` if the owner created it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lineage: Option<Sha256Digest>,
}

/// A new token with its secret, which cannot be shown again.
pub struct NewToken {
    /// The record, which contains only the digest of the secret.
    pub record: TokenRecord,
    /// The secret, zeroed on drop.
    pub secret: Zeroizing<String>,
}

/// Error of creating or removing a token.
#[derive(Debug, Clone, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum TokenError {
    /// The name has an invalid form.
    #[error("invalid token name `{name}`")]
    BadName { name: String },
    /// Another token or the owner has this name.
    #[error("token `{name}` already exists")]
    Taken { name: String },
    /// No scope was given.
    #[error("a token requires at least one scope")]
    NoScope,
    /// The expiry time has passed already.
    #[error("the token would already be expired")]
    Expired,
    /// The maximum number of tokens is reached.
    #[error("the limit of {MAX_TOKENS} tokens is reached")]
    TooMany,
    /// No token has this name.
    #[error("token `{name}` does not exist")]
    Unknown { name: String, known: Vec<String> },
    /// The underlying state error.
    #[error(transparent)]
    State(#[from] StateError),
}

impl TokenError {
    /// Returns the next step for the user, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::BadName { .. } => Some("use up to 40 lower-case letters, digits, `-` and `_`".into()),
            Self::Taken { .. } => {
                Some("choose another name, or remove it with `palyra tokens remove NAME`".into())
            }
            Self::NoScope => Some("choose from read, invoke, operate, approve, elicit, admin".into()),
            Self::TooMany => Some("remove unused tokens with `palyra tokens remove NAME`".into()),
            Self::Expired | Self::Unknown { .. } => None,
            Self::State(error) => error.hint(),
        }
    }

    /// Returns the error code that every transport reports.
    pub fn code(&self) -> ErrorCode {
        match self {
            Self::BadName { .. } | Self::NoScope | Self::Expired => ErrorCode::Usage,
            Self::Taken { .. } | Self::TooMany => ErrorCode::AlreadyExists,
            Self::Unknown { .. } => ErrorCode::NotFound,
            Self::State(error) => error.code(),
        }
    }
}

impl TokenRecord {
    /// Returns whether the token has expired at this time.
    pub fn is_expired(&self, now_ms: u64) -> bool {
        self.expires_ms.is_some_and(|expires| expires <= now_ms)
    }
}

crate::state::store! {
    /// Creates, finds and removes the tokens of a state.
    TokenStore, tokens
}

impl TokenStore<'_> {
    /// Returns every token by name, including expired ones.
    pub fn list(&self) -> Vec<TokenRecord> {
        self.state.view().tokens().by_name.values().cloned().collect()
    }

    /// Returns whether a principal is still valid: its token was not removed and has not expired.
    pub fn knows(&self, principal: &Principal) -> bool {
        let identity = principal.identity.map(Sha256Digest::from_bytes);
        identity.is_none_or(|token| self.find(&token).is_some())
    }

    /// Returns the token with this hash of its secret, or `None` if it does not exist or has expired.
    pub fn find(&self, digest: &Sha256Digest) -> Option<TokenRecord> {
        let view = self.state.view();
        let name = view.tokens().by_digest.get(digest)?;
        let record = view.tokens().by_name.get(name)?;
        let expired = record.expires_ms.is_some_and(|expires| self.state.has_passed(expires));
        (!expired).then(|| record.clone())
    }

    /// Returns the first token of the chain that created `token`, or `None` for the owner.
    ///
    /// Requesters are compared by lineage: a token must not approve its own request with a token that it created.
    pub(crate) fn lineage(&self, token: Option<Sha256Digest>) -> Option<Sha256Digest> {
        let view = self.state.view();
        let tokens = view.tokens();
        // A removed token has no record, and is its own lineage.
        let created_by = |digest: &Sha256Digest| tokens.by_name.get(tokens.by_digest.get(digest)?)?.lineage;
        token.map(|digest| created_by(&digest).unwrap_or(digest))
    }

    /// Creates a token of the owner; `by` is the name in the journal.
    pub fn add(
        &self,
        name: &str,
        scopes: ScopeSet,
        expires_ms: Option<u64>,
        by: &str,
    ) -> Result<NewToken, TokenError> {
        self.create(name, scopes, expires_ms, by, None)
    }

    /// Creates a token on request of a principal, in whose lineage it is.
    pub fn add_by(
        &self,
        name: &str,
        scopes: ScopeSet,
        expires_ms: Option<u64>,
        by: &Principal,
    ) -> Result<NewToken, TokenError> {
        let lineage = self.lineage(by.identity.map(Sha256Digest::from_bytes));
        self.create(name, scopes, expires_ms, &by.name, lineage)
    }

    fn create(
        &self,
        name: &str,
        scopes: ScopeSet,
        expires_ms: Option<u64>,
        by: &str,
        lineage: Option<Sha256Digest>,
    ) -> Result<NewToken, TokenError> {
        check_name(name)?;
        if scopes.is_empty() {
            return Err(TokenError::NoScope);
        }
        let now = self.state.now_ms();
        if expires_ms.is_some_and(|expires| self.state.has_passed(expires)) {
            return Err(TokenError::Expired);
        }
        let mut gate = self.state.gate();
        let tokens = gate.view.tokens();
        if name == OWNER || tokens.by_name.contains_key(name) {
            return Err(TokenError::Taken { name: name.to_owned() });
        }
        if tokens.by_name.len() >= MAX_TOKENS {
            return Err(TokenError::TooMany);
        }
        let secret = new_secret()?;
        let digest = Sha256Digest::of(secret.as_bytes());
        let record =
            TokenRecord { name: name.to_owned(), scopes, digest, created_ms: now, expires_ms, lineage };
        let bytes = serde_json::to_vec(&record).map_err(StateError::record("written", name))?;
        let row = RowChange::Put { table: SealedTable::Token, key: name.to_owned(), bytes };
        let scopes: Vec<Scope> = record.scopes.iter().collect();
        let details = json!({ "scopes": scopes, "expires_ms": expires_ms });
        let event = self.state.event(EventKind::TokenAdded, by).subject(name).details(details);
        self.state.commit(&mut gate, Change { rows: vec![row], events: vec![event] })?;
        Ok(NewToken { record, secret })
    }

    /// Removes a token, which is invalid from this moment.
    pub fn remove(&self, name: &str, by: &str) -> Result<TokenRecord, TokenError> {
        let mut gate = self.state.gate();
        let tokens = gate.view.tokens();
        let Some(record) = tokens.by_name.get(name).cloned() else {
            let name = clip_untrusted(name, 80);
            return Err(TokenError::Unknown { name, known: tokens.by_name.keys().cloned().collect() });
        };
        let row = RowChange::Delete { table: SealedTable::Token, key: name.to_owned() };
        let event = self.state.event(EventKind::TokenRemoved, by).subject(name);
        self.state.commit(&mut gate, Change { rows: vec![row], events: vec![event] })?;
        Ok(record)
    }
}

/// The tokens of one view, by name and by digest.
#[derive(Debug, Clone, Default)]
pub(crate) struct TokenIndex {
    by_name: BTreeMap<String, TokenRecord>,
    by_digest: BTreeMap<Sha256Digest, String>,
}

impl FromIterator<TokenRecord> for TokenIndex {
    fn from_iter<I: IntoIterator<Item = TokenRecord>>(records: I) -> Self {
        let mut index = Self::default();
        for record in records {
            index.by_digest.insert(record.digest, record.name.clone());
            index.by_name.insert(record.name.clone(), record);
        }
        index
    }
}

impl View {
    pub(crate) fn tokens(&self) -> &TokenIndex {
        &self.tokens
    }
}

fn check_name(name: &str) -> Result<(), TokenError> {
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    if (1..=MAX_TOKEN_NAME).contains(&name.len()) && name.bytes().all(letter) {
        Ok(())
    } else {
        let name = clip_untrusted(name, 80);
        Err(TokenError::BadName { name })
    }
}

fn new_secret() -> Result<Zeroizing<String>, StateError> {
    let mut random = Zeroizing::new([0; 32]);
    getrandom::fill(&mut *random).map_err(StateError::record("written", "a token"))?;
    Ok(Zeroizing::new(format!("{PREFIX}{}", hex::encode(*random))))
}
