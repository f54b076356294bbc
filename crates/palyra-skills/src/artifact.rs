//! The archive, which has one byte form and is read without copies.
//!
//! `.palyra-skill` is a ZIP that any tool can list and that has exactly one encoding: entries stored, sorted
//! bytewise, contiguous from offset 0, with fixed time and attributes and nothing else. A reader parses the archive,
//! encodes the result and requires equal bytes, so that all readers see the same entries.

mod error;
mod layout;
mod names;
mod payload;
mod read;
pub mod sidecars;
pub mod write;

use std::ops::Range;
use std::sync::{Arc, OnceLock};

pub use error::{ArchiveError, ArchiveRecord};
pub use names::{NameProblem, check_entry_path};
pub use payload::{EntryDigest, PAYLOAD_DOMAIN, payload_digest};
pub use read::check_archive_length;

use crate::constants::{MODULES_PREFIX, SIGNATURE_PATH};
use crate::digest::Sha256Digest;

/// A canonical archive, parsed and held by reference to its bytes.
///
/// The publisher is not verified here; see [`crate::verify_skill_artifact`].
#[derive(Debug, Clone)]
pub struct SkillArtifact(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    bytes: Arc<[u8]>,
    entries: Vec<Entry>,
    entry_digests: OnceLock<Vec<EntryDigest>>,
    archive_digest: OnceLock<Sha256Digest>,
}

/// One entry: its path and the position of its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) path: Box<str>,
    pub(crate) range: Range<usize>,
}

impl SkillArtifact {
    /// Reads an archive. Any encoding except the canonical one is refused.
    pub fn read(bytes: Arc<[u8]>) -> Result<Self, ArchiveError> {
        let entries = read::parse_archive(&bytes)?;
        Ok(Self::from_parts(bytes, entries))
    }

    /// Reads an archive from a file or another seekable source of `length` bytes.
    ///
    /// The length, the end record and the directory are checked before the rest is allocated or read.
    pub fn read_from<R: std::io::Read + std::io::Seek>(
        source: &mut R,
        length: u64,
    ) -> Result<Self, ArchiveError> {
        Self::read(read::load_archive(source, length)?)
    }

    fn from_parts(bytes: Arc<[u8]>, entries: Vec<Entry>) -> Self {
        Self(Arc::new(Parts {
            bytes,
            entries,
            entry_digests: OnceLock::new(),
            archive_digest: OnceLock::new(),
        }))
    }

    /// Returns every entry, sorted by path, with its bytes.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&str, &[u8])> {
        self.0.entries.iter().map(|entry| (&*entry.path, self.slice(entry)))
    }

    /// Returns the bytes of the entry at `path`, or `None` if the archive has no such entry.
    #[must_use]
    pub fn entry(&self, path: &str) -> Option<&[u8]> {
        self.find(path).map(|entry| self.slice(entry))
    }

    /// Iterates over the entries under `modules/`, as path and bytes.
    pub fn modules(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.entries().filter(|(path, _)| path.starts_with(MODULES_PREFIX))
    }

    /// Returns the bytes of the whole archive, signature included.
    #[must_use]
    pub fn bytes(&self) -> &Arc<[u8]> {
        &self.0.bytes
    }

    /// Returns the SHA-256 of the whole archive, computed on first use.
    #[must_use]
    pub fn archive_digest(&self) -> Sha256Digest {
        *self.0.archive_digest.get_or_init(|| Sha256Digest::of(&self.0.bytes))
    }

    /// Returns the digest of every entry except the signature, in archive order, computed on first use.
    #[must_use]
    pub fn entry_digests(&self) -> &[EntryDigest] {
        self.0.entry_digests.get_or_init(|| {
            self.entries()
                .filter(|(path, _)| *path != SIGNATURE_PATH)
                .map(|(path, bytes)| EntryDigest::of(path, bytes))
                .collect()
        })
    }

    /// Returns the digest that a signature covers.
    #[must_use]
    pub fn payload_digest(&self) -> Sha256Digest {
        payload_digest(self.entry_digests())
    }

    fn find(&self, path: &str) -> Option<&Entry> {
        let index = self.0.entries.binary_search_by(|entry| (*entry.path).cmp(path)).ok()?;
        self.0.entries.get(index)
    }

    fn slice(&self, entry: &Entry) -> &[u8] {
        self.0.bytes.get(entry.range.clone()).unwrap_or_default()
    }
}

/// Escapes and shortens untrusted text from an archive for messages, to at most 200 characters.
pub(crate) fn clip(text: &str) -> String {
    palyra_common::text::clip_untrusted(text, 200)
}
