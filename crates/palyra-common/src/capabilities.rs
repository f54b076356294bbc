//! Grants, with one grammar for manifest, profile, policy and flags.
//!
//! A grant is written as a line of text, read by one parser each, and printed back the same:
//!
//! | grant | opens |
//! |---|---|
//! | `http:GET,POST https://api.example.com/items/*` | these methods, this host, port 443, these paths |
//! | `http:https://api.example.com` | any method and path of this host |
//! | `http:GET http://127.0.0.1:8080/** response=1MiB` | plain http to exactly this address, with a cap |
//! | `secret:global/github_token hosts=api.github.com inject=bearer` | the host may inject it there |
//! | `secret:skill:acme.notes/pin reveal` | the guest may read it |
//! | `storage:cache/ bytes=1MiB keys=100` | keys below `cache/` of this skill |
//! | `storage-read:cache/` | reading keys below `cache/`, and changing none |
//! | `channel:alerts` | publishing to this channel |
//! | `fs-read:docs=/srv/docs`, `fs-write:out=/srv/out` | a directory, seen as `/docs`, `/out` |
//! | `address:10.0.0.0/8` | an address range that is closed otherwise; operators only |

mod channel;
mod filesystem;
mod grant_set;
mod host;
mod http_rule;
mod lattice;
mod operator;
mod path_pattern;
mod secret;
mod storage;

pub use channel::ChannelName;
pub use filesystem::{FilesystemAccess, FilesystemGrant, RootName};
pub use grant_set::CapabilityGrantSet;
pub use host::HostPattern;
pub use http_rule::{HttpRule, Scheme};
pub use operator::OperatorGrants;
pub use path_pattern::PathPattern;
pub use secret::{SecretForm, SecretGrant, SecretRef, SecretScope};
pub use storage::{StorageAccess, StorageGrant, StoragePrefix};

use crate::text::clip_untrusted;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One capability that a run can be granted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Capability {
    /// Requests to the URLs of a rule.
    Http(HttpRule),
    /// Use of a secret.
    Secret(SecretGrant),
    /// Access to storage keys below a prefix.
    Storage(StorageGrant),
    /// Publishing to a channel.
    Channel(ChannelName),
    /// Access to a directory.
    Filesystem(FilesystemGrant),
}

/// The kind of a capability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CapabilityKind {
    /// Capabilities for HTTP requests.
    Http,
    /// Capabilities for secrets.
    Secret,
    /// Capabilities for storage prefixes.
    Storage,
    /// Capabilities for channels.
    Channel,
    /// Capabilities for directories.
    Filesystem,
}

impl CapabilityKind {
    /// Returns the name in errors and JSON.
    pub fn wire_name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Secret => "secret",
            Self::Storage => "storage",
            Self::Channel => "channel",
            Self::Filesystem => "filesystem",
        }
    }
}

impl fmt::Display for CapabilityKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.wire_name())
    }
}

impl FromStr for Capability {
    type Err = GrantSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let capability = Self::read(text, MAX_GRANT_BYTES)?;
        // The normal form can be longer than the text, as `xn--tda` is for `ü`, and must be readable as well.
        if capability.to_string().len() > MAX_GRANT_BYTES {
            return Err(GrantSyntaxError::part("grant", text, "its normal form is longer than 4,096 bytes"));
        }
        Ok(capability)
    }
}

impl Capability {
    fn read(text: &str, most_bytes: usize) -> Result<Self, GrantSyntaxError> {
        check_text(text, most_bytes)?;
        let (kind, rest) = text.split_once(':').ok_or_else(|| GrantSyntaxError::NoKind(clip(text)))?;
        match kind {
            "http" => rest.parse().map(Self::Http),
            "secret" => rest.parse().map(Self::Secret),
            "storage" => StorageGrant::parse(StorageAccess::ReadWrite, rest).map(Self::Storage),
            "storage-read" => StorageGrant::parse(StorageAccess::Read, rest).map(Self::Storage),
            "channel" => rest.parse().map(Self::Channel),
            "fs-read" => FilesystemGrant::parse(FilesystemAccess::Read, rest).map(Self::Filesystem),
            "fs-write" => FilesystemGrant::parse(FilesystemAccess::ReadWrite, rest).map(Self::Filesystem),
            _ => Err(GrantSyntaxError::UnknownKind(clip(kind))),
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http(rule) => write!(f, "http:{rule}"),
            Self::Secret(grant) => write!(f, "secret:{grant}"),
            Self::Storage(grant) => write!(f, "{grant}"),
            Self::Channel(name) => write!(f, "channel:{name}"),
            Self::Filesystem(grant) => write!(f, "{grant}"),
        }
    }
}

/// The reason why a grant cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum GrantSyntaxError {
    /// The text does not start with `kind:`.
    #[error("grant `{0}` has no kind")]
    NoKind(String),
    /// The kind is unknown.
    #[error("unknown kind of grant `{0}`")]
    UnknownKind(String),
    /// A part does not match its grammar.
    #[error("invalid {what} `{text}`: {reason}")]
    Part {
        what: &'static str,
        text: String,
        /// The violated rule of the grammar.
        reason: &'static str,
    },
}

impl GrantSyntaxError {
    pub(crate) fn part(what: &'static str, text: &str, reason: &'static str) -> Self {
        Self::Part { what, text: clip(text), reason }
    }

    /// Returns an example of a valid grant of this kind.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoKind(_) | Self::UnknownKind(_) => {
                "a grant starts with `http:`, `secret:`, `storage:`, `storage-read:`, `channel:`, `fs-read:`, `fs-write:` or \
                 `address:`"
            }
            Self::Part { what, .. } => match *what {
                "secret reference" | "secret scope" | "secret form" | "secret option" => {
                    "write `secret:global/NAME hosts=api.example.com inject=bearer`"
                }
                "storage prefix" | "storage option" => {
                    "write `storage:cache/`, `storage:cache/ bytes=1MiB keys=100` or `storage-read:cache/`"
                }
                "channel name" => "write `channel:alerts`",
                "filesystem root" => "write `fs-read:NAME=DIRECTORY`",
                "address range" => "write `address:10.0.0.0/8`",
                _ => "write `http:GET https://api.example.com/items/*`",
            },
        }
    }
}

/// Maximum length of a grant in input, and of its normal form, in bytes.
const MAX_GRANT_BYTES: usize = 4_096;
/// Maximum length of a grant in stored documents, in bytes. The intersection of sixteen grants can name the hosts of
/// all of them.
const MAX_STORED_GRANT_BYTES: usize = 16 * MAX_GRANT_BYTES;

fn check_text(text: &str, most_bytes: usize) -> Result<(), GrantSyntaxError> {
    if text.len() > most_bytes {
        return Err(GrantSyntaxError::part("grant", text, "it is too long"));
    }
    if text.chars().any(char::is_control) {
        return Err(GrantSyntaxError::part("grant", text, "it has a control character"));
    }
    Ok(())
}

fn clip(text: &str) -> String {
    clip_untrusted(text, 80)
}

impl Serialize for Capability {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Capability {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        Self::read(&text, MAX_STORED_GRANT_BYTES).map_err(serde::de::Error::custom)
    }
}

/// Serializes a type as its grammar text.
macro_rules! serde_as_text {
    ($($type:ty),+ $(,)?) => {$(
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str> as serde::Deserialize>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )+};
}
serde_as_text!(
    HttpRule,
    HostPattern,
    PathPattern,
    SecretGrant,
    SecretRef,
    SecretForm,
    StoragePrefix,
    ChannelName,
    RootName
);

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a secret grant for many hosts: `PREFIX0.SUFFIX`, `PREFIX1.SUFFIX` and so on.
    fn secret_for(count: usize, prefix: &str, suffix: &str, more: &str) -> String {
        let hosts: Vec<String> = (0..count).map(|number| format!("{prefix}{number}.{suffix}")).collect();
        format!("secret:global/a inject=bearer hosts={}{more}", hosts.join(","))
    }

    #[test]
    fn a_grant_that_would_be_printed_too_long_is_refused() {
        let text = secret_for(280, "ü", "example", "");
        assert!(text.len() <= MAX_GRANT_BYTES);
        assert!(text.parse::<Capability>().is_err());
        let fits: Capability = secret_for(100, "ü", "example", "").parse().unwrap();
        assert_eq!(fits.to_string().parse::<Capability>().unwrap(), fits);
    }

    #[test]
    fn what_long_grants_have_in_common_is_read_back() {
        let set = |text: String| CapabilityGrantSet::from_iter([text.parse::<Capability>().unwrap()]);
        let left = set(secret_for(200, "left", "a.example", ",*.b.example"));
        let right = set(secret_for(200, "right", "b.example", ",*.a.example"));
        let both = left.intersect(&right);
        assert_eq!(both.secrets()[0].hosts().len(), 400);
        let json = serde_json::to_string(&both).unwrap();
        assert!(json.len() > MAX_GRANT_BYTES);
        assert_eq!(serde_json::from_str::<CapabilityGrantSet>(&json).unwrap(), both);
    }
}
