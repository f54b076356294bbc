//! The stable identity of a principal, as approvals and routines store it: a name can be reused, an
//! identity cannot.

use palyra_common::Principal;
use palyra_common::principal::OWNER;
use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};

/// A principal by its name and its token.
///
/// Two are the same only if their tokens are: a token that was removed and created again with the same name
/// is a different principal. The default is the owner of the state root.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrincipalId {
    /// Display name in receipts and lists.
    pub name: String,
    /// SHA-256 of the token; `None` for the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<Sha256Digest>,
}

impl PrincipalId {
    /// Returns the holder of a token.
    pub fn of_token(name: impl Into<String>, token: Sha256Digest) -> Self {
        Self { name: name.into(), token: Some(token) }
    }

    /// Returns whether this is the owner of the state root.
    pub fn is_owner(&self) -> bool {
        self.token.is_none()
    }

    /// Returns the identity without the name, for rows and digests.
    pub fn key(&self) -> String {
        self.token.map_or_else(|| OWNER.to_owned(), |token| format!("token:{token}"))
    }
}

/// Valid for requesters and deciders, which are the owner or have a token. Routines and hooks have no token
/// and would be converted to the owner.
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
