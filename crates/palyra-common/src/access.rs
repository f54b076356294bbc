//! Authorisation: the scopes that tokens hold and routes require.

use crate::text::clip_untrusted;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;
use utoipa::ToSchema;

/// One kind of authority; none implies another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ScopeName, description = "A scope, by name.")]
pub enum Scope {
    /// Look at what is installed and what happened.
    Read,
    /// Call tools.
    Invoke,
    /// Install, enable, disable and remove skills.
    Operate,
    /// Decide calls that wait for a person.
    Approve,
    /// Let an answer that a person gives in an MCP client decide a call of that client.
    Elicit,
    /// Decide whom to trust, who gets tokens, and stop the daemon.
    Admin,
}

/// The text is not the name of a scope.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope `{0}`: choose from read, invoke, operate, approve, elicit, admin")]
pub struct UnknownScope(String);

/// A set of scopes; empty by default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ScopeSet(BTreeSet<Scope>);

impl Scope {
    /// Every scope, in the order of display.
    pub const ALL: [Self; 6] =
        [Self::Read, Self::Invoke, Self::Operate, Self::Approve, Self::Elicit, Self::Admin];

    /// Returns the name on the wire.
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Invoke => "invoke",
            Self::Operate => "operate",
            Self::Approve => "approve",
            Self::Elicit => "elicit",
            Self::Admin => "admin",
        }
    }
}

impl ScopeSet {
    /// Returns the set of all scopes, which the owner has.
    pub fn all() -> Self {
        Scope::ALL.into_iter().collect()
    }

    /// Returns whether the set contains a scope.
    pub fn contains(&self, scope: Scope) -> bool {
        self.0.contains(&scope)
    }

    /// Returns whether the set contains no scope.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the scopes, in order.
    pub fn iter(&self) -> impl Iterator<Item = Scope> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().collect())
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.wire_name())
    }
}

impl fmt::Display for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.iter().map(Scope::wire_name).collect();
        f.write_str(&names.join(", "))
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        let found = Self::ALL.into_iter().find(|scope| scope.wire_name() == text);
        found.ok_or_else(|| UnknownScope(clip_untrusted(text, 40)))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_scope_reads_back_and_none_implies_another() {
        for scope in Scope::ALL {
            assert_eq!(scope.wire_name().parse(), Ok(scope));
            assert_eq!(serde_json::to_value(scope).unwrap(), scope.wire_name());
            let alone = ScopeSet::from_iter([scope]);
            assert_eq!(Scope::ALL.into_iter().filter(|other| alone.contains(*other)).count(), 1);
        }
        assert!("Admin".parse::<Scope>().is_err());
        assert_eq!(ScopeSet::all().to_string(), "read, invoke, operate, approve, elicit, admin");
    }
}
