//! Secret references, and the permitted uses of a secret.

use super::lattice::{self, Authority};
use super::{GrantSyntaxError, HostPattern};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// The owner of a secret; keys are unique within a scope.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretScope {
    /// Available to every principal, channel and skill of this state root.
    Global,
    /// Belongs to a principal.
    Principal(String),
    /// Belongs to a channel.
    Channel(String),
    /// Belongs to a skill.
    Skill(String),
}

/// A reference to a secret: `global/github_token`, `skill:acme.notes/pin`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretRef {
    /// The scope that the key belongs to.
    pub scope: SecretScope,
    /// The name within the scope, `[A-Za-z0-9_.-]+`.
    pub key: String,
}

/// The placement of a secret in a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SecretForm {
    /// `Authorization: Bearer SECRET`.
    Bearer,
    /// The password of `Authorization: Basic`.
    Basic,
    /// A header with this lower-case name.
    Header(String),
    /// A query parameter with this name.
    Query(String),
}

/// Permission to use one secret: its hosts, its placements, and whether the guest can read it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretGrant {
    /// The secret that can be used.
    pub secret: SecretRef,
    hosts: Vec<HostPattern>,
    inject: BTreeSet<SecretForm>,
    /// Whether the guest can read the value.
    pub reveal: bool,
}

impl SecretGrant {
    /// Creates a grant; hosts are brought into normal form.
    pub fn new(
        secret: SecretRef,
        hosts: Vec<HostPattern>,
        inject: BTreeSet<SecretForm>,
        reveal: bool,
    ) -> Self {
        Self { secret, hosts: lattice::canonical(hosts), inject, reveal }
    }

    /// Returns the hosts that the secret can be sent to.
    pub fn hosts(&self) -> &[HostPattern] {
        &self.hosts
    }

    /// Returns the permitted placements.
    pub fn inject(&self) -> &BTreeSet<SecretForm> {
        &self.inject
    }

    /// Returns whether the secret can be sent to this host.
    pub fn is_bound_to(&self, host: &HostPattern) -> bool {
        self.hosts.iter().any(|pattern| pattern.matches(host))
    }

    /// Returns whether the secret can be injected into a request to this host with this placement.
    pub fn allows_injection(&self, host: &HostPattern, form: &SecretForm) -> bool {
        self.inject.contains(form) && self.is_bound_to(host)
    }

    /// Returns whether the grant permits no use at all.
    fn is_useless(&self) -> bool {
        !self.reveal && (self.hosts.is_empty() || self.inject.is_empty())
    }
}

impl FromStr for SecretScope {
    type Err = GrantSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = |reason| GrantSyntaxError::part("secret scope", text, reason);
        if text == "global" {
            return Ok(Self::Global);
        }
        let (kind, name) = text
            .split_once(':')
            .ok_or_else(|| bad("expected `global`, `principal:…`, `channel:…` or `skill:…`"))?;
        if !is_plain_name(name) {
            return Err(bad("its name has a character other than letters, digits, `.`, `_` and `-`"));
        }
        match kind {
            "principal" => Ok(Self::Principal(name.to_owned())),
            "channel" => Ok(Self::Channel(name.to_owned())),
            "skill" => Ok(Self::Skill(name.to_owned())),
            _ => Err(bad("expected `global`, `principal:…`, `channel:…` or `skill:…`")),
        }
    }
}

impl fmt::Display for SecretScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Global => f.write_str("global"),
            Self::Principal(name) => write!(f, "principal:{name}"),
            Self::Channel(name) => write!(f, "channel:{name}"),
            Self::Skill(name) => write!(f, "skill:{name}"),
        }
    }
}

impl FromStr for SecretRef {
    type Err = GrantSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = |reason| GrantSyntaxError::part("secret reference", text, reason);
        let (scope, key) = text.split_once('/').ok_or_else(|| bad("expected SCOPE/KEY"))?;
        if !is_plain_name(key) {
            return Err(bad("the key has a character other than letters, digits, `.`, `_` and `-`"));
        }
        Ok(Self { scope: scope.parse()?, key: key.to_owned() })
    }
}

impl fmt::Display for SecretRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.scope, self.key)
    }
}

impl FromStr for SecretForm {
    type Err = GrantSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = |reason| GrantSyntaxError::part("secret form", text, reason);
        match text.split_once(':') {
            None if text == "bearer" => Ok(Self::Bearer),
            None if text == "basic" => Ok(Self::Basic),
            Some(("header", name)) => {
                let lower = name.to_ascii_lowercase();
                if !is_token(&lower) {
                    return Err(bad("the header name is not a token"));
                }
                Ok(Self::Header(lower))
            }
            Some(("query", name)) if is_plain_name(name) => Ok(Self::Query(name.to_owned())),
            _ => Err(bad("expected `bearer`, `basic`, `header:NAME` or `query:NAME`")),
        }
    }
}

impl fmt::Display for SecretForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bearer => f.write_str("bearer"),
            Self::Basic => f.write_str("basic"),
            Self::Header(name) => write!(f, "header:{name}"),
            Self::Query(name) => write!(f, "query:{name}"),
        }
    }
}

impl FromStr for SecretGrant {
    type Err = GrantSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.split(' ').filter(|word| !word.is_empty());
        let secret = words.next().unwrap_or_default().parse()?;
        let (mut hosts, mut inject, mut reveal) = (None, None, false);
        for option in words {
            let bad = |reason| GrantSyntaxError::part("secret option", option, reason);
            match option.split_once('=') {
                Some(("hosts", list)) if hosts.is_none() => {
                    hosts = Some(list.split(',').map(str::parse).collect::<Result<Vec<HostPattern>, _>>()?);
                }
                Some(("inject", list)) if inject.is_none() => {
                    inject =
                        Some(list.split(',').map(str::parse).collect::<Result<BTreeSet<SecretForm>, _>>()?);
                }
                None if option == "reveal" && !reveal => reveal = true,
                _ => return Err(bad("the options are `hosts=…`, `inject=…` and `reveal`, each once")),
            }
        }
        let grant = Self::new(secret, hosts.unwrap_or_default(), inject.unwrap_or_default(), reveal);
        if grant.is_useless() {
            return Err(GrantSyntaxError::part(
                "secret option",
                text,
                "write `hosts=…` and `inject=…`, or `reveal`",
            ));
        }
        Ok(grant)
    }
}

impl fmt::Display for SecretGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.secret)?;
        write_list(f, " hosts=", &self.hosts)?;
        write_list(f, " inject=", &self.inject)?;
        if self.reveal { f.write_str(" reveal") } else { Ok(()) }
    }
}

fn write_list<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    label: &str,
    items: impl IntoIterator<Item = T>,
) -> fmt::Result {
    for (index, item) in items.into_iter().enumerate() {
        write!(f, "{}{item}", if index == 0 { label } else { "," })?;
    }
    Ok(())
}

impl Authority for SecretGrant {
    fn is_within(&self, other: &Self) -> bool {
        self.meet(other).as_ref() == Some(self)
    }

    fn meet(&self, other: &Self) -> Option<Self> {
        if self.secret != other.secret {
            return None;
        }
        let both = Self {
            secret: self.secret.clone(),
            hosts: lattice::intersect(&self.hosts, &other.hosts),
            inject: self.inject.intersection(&other.inject).cloned().collect(),
            reveal: self.reveal && other.reveal,
        };
        (!both.is_useless()).then_some(both)
    }
}

fn is_plain_name(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 128
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-'))
        && name != "."
        && name != ".."
}

fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 128
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
        && !name.contains(',')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_form() {
        for (text, expected) in [
            (
                "global/token hosts=b.example,a.example inject=header:X-Api-Key,bearer",
                "global/token hosts=a.example,b.example inject=bearer,header:x-api-key",
            ),
            ("skill:acme.notes/pin reveal", "skill:acme.notes/pin reveal"),
            (
                "principal:ops/key hosts=*.example.com inject=query:k reveal",
                "principal:ops/key hosts=*.example.com inject=query:k reveal",
            ),
        ] {
            let grant: SecretGrant = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
            assert_eq!(grant.to_string(), expected);
            assert_eq!(expected.parse::<SecretGrant>().unwrap(), grant);
        }
    }

    #[test]
    fn refused() {
        for text in [
            "",
            "token",
            "global/",
            "global/a",
            "global/a hosts=x.example",
            "global/a inject=bearer",
            "global/a/b reveal",
            "team:x/a reveal",
            "skill:/a reveal",
            "global/a reveal reveal",
            "global/a hosts=x.example inject=cookie",
            "global/../a reveal",
        ] {
            assert!(text.parse::<SecretGrant>().is_err(), "{text}");
        }
    }
}
