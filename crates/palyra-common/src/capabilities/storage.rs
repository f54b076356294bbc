//! Storage prefixes, the access to them, and their quotas.

use super::GrantSyntaxError;
use super::http_rule::tighter;
use super::lattice::Authority;
use crate::byte_size::{format_byte_size, parse_byte_size};
use std::fmt;
use std::str::FromStr;

/// A prefix of storage keys that ends with `/`: `cache/`, `notes/2024/`. At most 200 bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoragePrefix(String);

/// The access that a grant gives to a prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StorageAccess {
    /// Getting and listing keys.
    Read,
    /// Getting, listing, putting and deleting keys.
    ReadWrite,
}

/// Access to a prefix, with its quotas.
///
/// A grant for reading has no quotas, because it stores nothing.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StorageGrant {
    /// The prefix of the permitted keys.
    pub prefix: StoragePrefix,
    /// The permitted access.
    pub access: StorageAccess,
    /// Maximum size of keys and values, in bytes; `None` for the host's default.
    pub max_bytes: Option<u64>,
    /// Maximum number of keys; `None` for the host's default.
    pub max_keys: Option<u64>,
}

impl StorageGrant {
    /// Grants read access below a prefix.
    pub fn read(prefix: StoragePrefix) -> Self {
        Self { prefix, access: StorageAccess::Read, max_bytes: None, max_keys: None }
    }

    /// Grants read and write access below a prefix, with the host's default quotas.
    pub fn read_write(prefix: StoragePrefix) -> Self {
        Self { access: StorageAccess::ReadWrite, ..Self::read(prefix) }
    }

    /// Parses `PREFIX/`; with write access also the options `bytes=…` and `keys=…`.
    pub fn parse(access: StorageAccess, text: &str) -> Result<Self, GrantSyntaxError> {
        let mut words = text.split(' ').filter(|word| !word.is_empty());
        let mut grant = Self { access, ..Self::read(words.next().unwrap_or_default().parse()?) };
        for option in words {
            let bad = |reason| GrantSyntaxError::part("storage option", option, reason);
            if access == StorageAccess::Read {
                return Err(bad("`storage-read:` has no options"));
            }
            let (name, value) =
                option.split_once('=').ok_or_else(|| bad("the options are `bytes=…` and `keys=…`"))?;
            let field = match name {
                "bytes" => &mut grant.max_bytes,
                "keys" => &mut grant.max_keys,
                _ => return Err(bad("the options are `bytes=…` and `keys=…`")),
            };
            if field.is_some() {
                return Err(bad("it is given more than once"));
            }
            *field = Some(parse_byte_size(value).map_err(|_| bad("it is not a number"))?);
        }
        Ok(grant)
    }
}

impl StoragePrefix {
    /// Returns the prefix as text, ending with `/`.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for StoragePrefix {
    type Err = GrantSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = |reason| GrantSyntaxError::part("storage prefix", text, reason);
        let inner = text.strip_suffix('/').ok_or_else(|| bad("it does not end with `/`"))?;
        if text.len() > 200 {
            return Err(bad("it is longer than 200 bytes"));
        }
        for segment in inner.split('/') {
            let plain = segment
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-'));
            if segment.is_empty() || segment == "." || segment == ".." || !plain {
                return Err(bad("segments must match `[a-z0-9._-]+`"));
            }
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for StoragePrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for StorageGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.access {
            StorageAccess::Read => "storage-read",
            StorageAccess::ReadWrite => "storage",
        };
        write!(f, "{kind}:{}", self.prefix)?;
        if let Some(bytes) = self.max_bytes {
            write!(f, " bytes={}", format_byte_size(bytes))?;
        }
        if let Some(keys) = self.max_keys {
            write!(f, " keys={keys}")?;
        }
        Ok(())
    }
}

impl Authority for StorageGrant {
    fn is_within(&self, other: &Self) -> bool {
        self.meet(other).as_ref() == Some(self)
    }

    fn meet(&self, other: &Self) -> Option<Self> {
        let (short, long) =
            if self.prefix.0.len() <= other.prefix.0.len() { (self, other) } else { (other, self) };
        long.prefix.0.starts_with(&short.prefix.0).then(|| match self.access.min(other.access) {
            StorageAccess::Read => Self::read(long.prefix.clone()),
            StorageAccess::ReadWrite => Self {
                max_bytes: tighter(self.max_bytes, other.max_bytes),
                max_keys: tighter(self.max_keys, other.max_keys),
                ..Self::read_write(long.prefix.clone())
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capability;

    #[test]
    fn grammar() {
        for (text, expected) in [
            ("storage:cache/", "storage:cache/"),
            ("storage:a/b.c/ keys=5 bytes=1024", "storage:a/b.c/ bytes=1KiB keys=5"),
            ("storage-read:a/b/", "storage-read:a/b/"),
        ] {
            assert_eq!(text.parse::<Capability>().unwrap().to_string(), expected);
        }
        for text in ["", "/", "cache", "../", "a//", "A/", "a/ size=1", "a/ bytes=1 bytes=2", "a b/"] {
            for kind in ["storage", "storage-read"] {
                assert!(format!("{kind}:{text}").parse::<Capability>().is_err(), "{kind}:{text}");
            }
        }
        let refused = "storage-read:a/ bytes=1".parse::<Capability>().unwrap_err();
        assert_eq!(refused.to_string(), "invalid storage option `bytes=1`: `storage-read:` has no options");
    }

    #[test]
    fn reading_is_within_writing_and_never_the_other_way() {
        let grant = |text: &str| match text.parse::<Capability>() {
            Ok(Capability::Storage(grant)) => grant,
            other => panic!("{other:?}"),
        };
        let (read, write) = (grant("storage-read:a/"), grant("storage:a/ bytes=10"));
        assert!(read.is_within(&write) && !write.is_within(&read));
        assert_eq!(write.meet(&read), Some(read.clone()));
        assert_eq!(read.meet(&grant("storage:a/b/ keys=1")), Some(grant("storage-read:a/b/")));
        assert_eq!(read.meet(&grant("storage:c/")), None);
    }
}
