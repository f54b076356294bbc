//! Artifacts by digest: `<root>/objects/<aa>/<sha256>`, mode 0444, written whole and read through no link.
//!
//! The name of an object is not trusted: every read opens it once, checks the opened file, hashes the bytes and
//! compares. Only the index maps objects to skills.

mod read;
mod write;

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use palyra_skills::Sha256Digest;
use rustix::fs::{Dir, Mode, OFlags};
use rustix::io::Errno;

/// Largest object: the ceiling of an archive.
pub const MAX_OBJECT_BYTES: u64 = 128 << 20;
/// Largest spooled object: the longest tape that is read.
const MAX_SPOOLED_BYTES: u64 = 1 << 30;

const TEMPORARY_PREFIX: &str = ".new-";

/// The objects of one state root, held by a directory handle.
#[derive(Debug)]
pub struct ObjectStore {
    directory: OwnedFd,
    path: PathBuf,
    /// Whether a write waits for the disk.
    synced: bool,
    /// Largest object.
    largest: u64,
}

/// Why an object cannot be trusted or reached.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ObjectError {
    /// There is no such object.
    #[error("object `{digest}` is missing")]
    Missing { digest: Sha256Digest },
    /// Something else is in its place.
    #[error("object `{digest}` is a {found}, expected a regular file")]
    NotAFile { digest: Sha256Digest, found: &'static str },
    /// It has a second name somewhere, through which it could be changed.
    #[error("object `{digest}` has {links} links, expected 1")]
    Linked { digest: Sha256Digest, links: u64 },
    /// It belongs to another user.
    #[error("object `{digest}` belongs to user {found}, expected {expected}")]
    Foreign {
        digest: Sha256Digest,
        /// The owner of the file.
        found: u32,
        /// The owner of this process.
        expected: u32,
    },
    /// It is larger than any object of the store.
    #[error("object `{digest}` has more than {largest} bytes")]
    TooLarge {
        digest: Sha256Digest,
        /// The largest object of the store.
        largest: u64,
    },
    /// Its bytes are other bytes.
    #[error("object `{expected}` has the hash `{found}`")]
    Changed {
        /// The digest in the index.
        expected: Sha256Digest,
        /// The digest of what is there.
        found: Sha256Digest,
    },
    /// The file system did not do what it was asked.
    #[error("the object store `{}` failed to {doing}", path.display())]
    Io {
        doing: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

impl ObjectError {
    /// Whether the bytes on disk are not those of the index, rather than unreachable for the moment.
    pub fn is_tampering(&self) -> bool {
        !matches!(self, Self::Io { .. })
    }

    /// Suggested next steps.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io { .. } => "check free space, permissions and the disk, then try again",
            _ => "install the skill again from its `.palyra-skill` file",
        }
    }
}

impl ObjectStore {
    /// Makes the directory of a new state root.
    pub fn create(path: &Path) -> Result<Self, ObjectError> {
        let io = |source: std::io::Error| failed("create the directory", path)(source);
        use std::os::unix::fs::DirBuilderExt;
        match std::fs::DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(io(error)),
            _ => {}
        }
        Self::open(path)
    }

    /// Opens the directory; a link in its place is refused.
    pub fn open(path: &Path) -> Result<Self, ObjectError> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let directory = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|error| failed("open the directory", path)(error.into()))?;
        Ok(Self { directory, path: path.to_owned(), synced: true, largest: MAX_OBJECT_BYTES })
    }

    /// The same store, whose writes survive a killed process but do not wait for the disk.
    #[must_use]
    pub fn spooling(self) -> Self {
        Self { synced: false, largest: MAX_SPOOLED_BYTES, ..self }
    }

    /// Keeps bytes; they are on disk, whole and synced, when this returns.
    pub fn put(&self, bytes: &[u8]) -> Result<Sha256Digest, ObjectError> {
        write::put(self, bytes)
    }

    /// The bytes of an object, hashed now.
    pub fn get(&self, digest: &Sha256Digest) -> Result<Arc<[u8]>, ObjectError> {
        read::get(self, digest)
    }

    /// Removes an object, whatever stands in its place; says whether something was there.
    pub fn remove(&self, digest: &Sha256Digest) -> Result<bool, ObjectError> {
        write::remove(self, digest)
    }

    /// Removes leftovers of interrupted writes and unreferenced objects; returns their number.
    pub fn sweep(&self, referenced: &dyn Fn(&Sha256Digest) -> bool) -> Result<usize, ObjectError> {
        write::sweep(self, referenced)
    }

    /// Bytes of an object, without reading it; `None` when there is none.
    pub(crate) fn size_of(&self, digest: &Sha256Digest) -> Option<u64> {
        let (shard, name) = names_of(digest);
        let shard = self.shard(&shard).ok()?;
        size_at(&shard, &name)
    }

    /// Bytes of all objects together.
    pub(crate) fn total_bytes(&self) -> Result<u64, ObjectError> {
        let mut total = 0_u64;
        for folder in self.names(&self.directory)? {
            let Ok(shard) = self.shard(&folder) else { continue };
            for name in self.names(&shard)? {
                total = total.saturating_add(size_at(&shard, &name).unwrap_or(0));
            }
        }
        Ok(total)
    }

    /// Where an object is, for messages and tests.
    pub fn path_of(&self, digest: &Sha256Digest) -> PathBuf {
        let name = digest.to_string();
        self.path.join(name.get(..2).unwrap_or_default()).join(&name)
    }

    fn shard(&self, name: &str) -> Result<OwnedFd, Errno> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        rustix::fs::openat(&self.directory, name, flags, Mode::empty())
    }

    fn names(&self, directory: &OwnedFd) -> Result<Vec<String>, ObjectError> {
        let io = |error: Errno| failed("list a directory", &self.path)(error.into());
        let mut names = Vec::new();
        for entry in Dir::read_from(directory).map_err(io)? {
            let entry = entry.map_err(io)?;
            if let Ok(name) = entry.file_name().to_str()
                && !matches!(name, "." | "..")
            {
                names.push(name.to_owned());
            }
        }
        names.sort();
        Ok(names)
    }
}

fn size_at(shard: &OwnedFd, name: &str) -> Option<u64> {
    let stat = rustix::fs::statat(shard, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW).ok()?;
    u64::try_from(stat.st_size).ok()
}

/// The folder and the file name of an object.
fn names_of(digest: &Sha256Digest) -> (String, String) {
    let name = digest.to_string();
    (name.get(..2).unwrap_or_default().to_owned(), name)
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ObjectError {
    let path = path.to_owned();
    move |source| ObjectError::Io { doing, path, source }
}
