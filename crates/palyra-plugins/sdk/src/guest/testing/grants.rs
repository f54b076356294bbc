//! Grants of a harness, read from the lines of `--grant`.

use super::error::GrantLineError;
use super::http_rule::HttpRule;
use super::names::{is_channel, is_storage_prefix};
use super::secret_grant::SecretGrant;

/// The grants of the harness, in the order they were added.
#[derive(Debug, Default)]
pub(super) struct Grants {
    pub(super) http: Vec<HttpRule>,
    pub(super) secrets: Vec<SecretGrant>,
    pub(super) storage: Vec<StorageGrant>,
    pub(super) channels: Vec<String>,
}

/// Access to a storage prefix, with its quotas.
#[derive(Debug, Clone)]
pub(super) struct StorageGrant {
    pub(super) prefix: String,
    pub(super) read_only: bool,
    pub(super) max_bytes: Option<u64>,
    pub(super) max_keys: Option<u64>,
}

impl Grants {
    /// Parses a grant line and adds it.
    pub(super) fn add(&mut self, line: &str) -> Result<(), GrantLineError> {
        self.read(line).map_err(|reason| GrantLineError { line: line.to_owned(), reason })
    }

    fn read(&mut self, line: &str) -> Result<(), &'static str> {
        let (kind, rest) = line.split_once(':').ok_or("it does not start with a kind")?;
        match kind {
            "http" => self.http.push(HttpRule::parse(rest)?),
            "secret" => self.secrets.push(SecretGrant::parse(rest)?),
            "storage" => self.storage.push(parse_storage(rest)?),
            "storage-read" if is_storage_prefix(rest) => {
                let prefix = rest.to_owned();
                let grant = StorageGrant { prefix, read_only: true, max_bytes: None, max_keys: None };
                self.storage.push(grant);
            }
            "storage-read" => return Err("a prefix is `[a-z0-9._-]+/`, without options"),
            "channel" if is_channel(rest) => self.channels.push(rest.to_owned()),
            "channel" => return Err("a channel is `[a-z0-9][a-z0-9._-]*`, at most 64 bytes"),
            _ => return Err("the kinds are `http`, `secret`, `storage`, `storage-read` and `channel`"),
        }
        Ok(())
    }
}

fn parse_storage(text: &str) -> Result<StorageGrant, &'static str> {
    let mut words = text.split(' ').filter(|word| !word.is_empty());
    let prefix =
        words.next().filter(|prefix| is_storage_prefix(prefix)).ok_or("a prefix is `[a-z0-9._-]+/`")?;
    let mut grant =
        StorageGrant { prefix: prefix.to_owned(), read_only: false, max_bytes: None, max_keys: None };
    for option in words {
        match option.split_once('=').map(|(name, value)| (name, parse_bytes(value))) {
            Some(("bytes", Some(bytes))) if grant.max_bytes.is_none() => grant.max_bytes = Some(bytes),
            Some(("keys", Some(keys))) if grant.max_keys.is_none() => grant.max_keys = Some(keys),
            _ => return Err("the options are `bytes=…` and `keys=…`, each once"),
        }
    }
    Ok(grant)
}

/// Reads `10`, `64k`, `1MiB`.
pub(super) fn parse_bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let scale: u64 = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines() {
        let mut grants = Grants::default();
        for line in [
            "http:GET https://a.example",
            "secret:global/k reveal",
            "storage:notes/ bytes=1KiB keys=2",
            "storage-read:archive/",
            "channel:alerts",
        ] {
            grants.add(line).unwrap();
        }
        assert_eq!((grants.http.len(), grants.secrets.len(), grants.channels.len()), (1, 1, 1));
        assert_eq!((grants.storage[0].max_bytes, grants.storage[0].max_keys), (Some(1024), Some(2)));
        assert_eq!(grants.storage.iter().map(|grant| grant.read_only).collect::<Vec<_>>(), [false, true]);
        for line in [
            "",
            "storage-read:archive/ keys=1",
            "alerts",
            "disk:x",
            "storage:n/ keys=1 keys=2",
            "channel:A",
            "storage:notes",
            "storage:notes/ bytes=x",
            "storage:notes/ size=1",
        ] {
            assert!(grants.add(line).is_err(), "{line}");
        }
    }
}
