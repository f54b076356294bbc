//! Storage prefixes and their quotas.

use super::GrantSyntaxError;
use super::http_rule::tighter;
use super::lattice::Authority;
use crate::byte_size::{format_byte_size, parse_byte_size};
use std::fmt;
use std::str::FromStr;

/// A prefix of keys, always ending with `/`: `cache/`, `notes/2024/`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoragePrefix(String);

/// A prefix and how much may be kept under it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StorageGrant {
    /// The prefix.
    pub prefix: StoragePrefix,
    /// Most bytes of keys and values; `None` leaves it to the host's default.
    pub max_bytes: Option<u64>,
    /// Most keys; `None` leaves it to the host's default.
    pub max_keys: Option<u64>,
}

impl StoragePrefix {
    /// The text, ending with `/`.
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
                return Err(bad("segments are `[a-z0-9._-]+`"));
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

impl FromStr for StorageGrant {
    type Err = GrantSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut words = text.split(' ').filter(|word| !word.is_empty());
        let mut grant =
            Self { prefix: words.next().unwrap_or_default().parse()?, max_bytes: None, max_keys: None };
        for option in words {
            let bad = |reason| GrantSyntaxError::part("storage option", option, reason);
            let (name, value) =
                option.split_once('=').ok_or_else(|| bad("the options are `bytes=…` and `keys=…`"))?;
            let field = match name {
                "bytes" => &mut grant.max_bytes,
                "keys" => &mut grant.max_keys,
                _ => return Err(bad("the options are `bytes=…` and `keys=…`")),
            };
            if field.is_some() {
                return Err(bad("it is given twice"));
            }
            *field = Some(parse_byte_size(value).map_err(|_| bad("it is not a number"))?);
        }
        Ok(grant)
    }
}

impl fmt::Display for StorageGrant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.prefix)?;
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
        long.prefix.0.starts_with(&short.prefix.0).then(|| Self {
            prefix: long.prefix.clone(),
            max_bytes: tighter(self.max_bytes, other.max_bytes),
            max_keys: tighter(self.max_keys, other.max_keys),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grammar() {
        for (text, expected) in
            [("cache/", "cache/"), ("a/b.c/ keys=5 bytes=1024", "a/b.c/ bytes=1KiB keys=5")]
        {
            assert_eq!(text.parse::<StorageGrant>().unwrap().to_string(), expected);
        }
        for text in ["", "/", "cache", "../", "a//", "A/", "a/ size=1", "a/ bytes=1 bytes=2", "a b/"] {
            assert!(text.parse::<StorageGrant>().is_err(), "{text}");
        }
    }
}
