//! The payload digest: one hash over every entry that a signature covers.

use sha2::{Digest, Sha256};

use crate::digest::Sha256Digest;

/// Domain separator, hashed before everything else.
pub const PAYLOAD_DOMAIN: &[u8] = b"palyra skill payload v1\0";

/// The signed facts of one entry: path, size and digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryDigest {
    /// The path of the entry in the archive.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 of its bytes.
    pub sha256: Sha256Digest,
}

impl EntryDigest {
    /// Hashes the bytes of an entry.
    #[must_use]
    pub fn of(path: &str, bytes: &[u8]) -> Self {
        Self { path: path.to_owned(), size: bytes.len() as u64, sha256: Sha256Digest::of(bytes) }
    }
}

/// Returns the payload digest of `entries`: a SHA-256 over [`PAYLOAD_DOMAIN`], the number of entries, and for
/// each entry the length of its path, the path, its size and the SHA-256 of its bytes. Numbers are 64 bits,
/// little-endian.
///
/// Callers pass the entries in archive order, without the signature.
#[must_use]
pub fn payload_digest(entries: &[EntryDigest]) -> Sha256Digest {
    let mut hasher = Sha256::new();
    hasher.update(PAYLOAD_DOMAIN);
    hasher.update((entries.len() as u64).to_le_bytes());
    for entry in entries {
        hasher.update((entry.path.len() as u64).to_le_bytes());
        hasher.update(entry.path.as_bytes());
        hasher.update(entry.size.to_le_bytes());
        hasher.update(entry.sha256.as_bytes());
    }
    Sha256Digest::from_bytes(hasher.finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_counts() {
        let entry = |path: &str, bytes: &[u8]| EntryDigest::of(path, bytes);
        let base = payload_digest(&[entry("a", b"1"), entry("b", b"2")]);
        for other in [
            vec![entry("a", b"1")],
            vec![entry("a", b"1"), entry("b", b"3")],
            vec![entry("a", b"1"), entry("c", b"2")],
            vec![entry("b", b"2"), entry("a", b"1")],
            vec![EntryDigest { size: 2, ..entry("a", b"1") }, entry("b", b"2")],
        ] {
            assert_ne!(payload_digest(&other), base, "{other:?}");
        }
    }
}
