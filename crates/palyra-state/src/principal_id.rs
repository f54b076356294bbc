//! A principal as approvals and routines store it: a name can be given to another token, an identity cannot.

use palyra_common::Principal;
use palyra_common::principal::OWNER;
use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};

/// A principal by its name and its token.
///
/// Two are the same only if their tokens are: a token that was removed and made again under its old name is another one.
/// The default is the owner of the state root.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrincipalId {
    /// What receipts and people call it.
    pub name: String,
    /// The digest of its token; the owner has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Sha256Digest>,
}

impl PrincipalId {
    /// The holder of a token.
    pub fn of_token(name: impl Into<String>, token: Sha256Digest) -> Self {
        Self { name: name.into(), token: Some(token) }
    }

    /// Whether it is the owner of the state root.
    pub fn is_owner(&self) -> bool {
        self.token.is_none()
    }

    /// Its identity in rows and digests, without the name.
    pub fn key(&self) -> String {
        self.token.map_or_else(|| OWNER.to_owned(), |token| format!("token:{token}"))
    }
}

/// For a requester or a decider, which is the owner or has a token; routines and hooks have neither.
impl From<&Principal> for PrincipalId {
    fn from(principal: &Principal) -> Self {
        Self { name: principal.name.clone(), token: principal.identity.map(Sha256Digest::from_bytes) }
    }
}

impl Default for PrincipalId {
    fn default() -> Self {
        Self { name: OWNER.to_owned(), token: None }
    }
}
