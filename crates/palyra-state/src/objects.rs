//! Content-addressed files: `<root>/objects/<aa>/<sha256>`, mode 0444, written atomically and never read
//! through a link.
//!
//! The name of an object is not trusted: every read opens the file once, checks the opened file, hashes its
//! bytes and compares the digest. Only the index maps objects to skills.

mod read;
mod write;

use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use palyra_skills::Sha256Digest;
use rustix::fs::{Dir, Mode, OFlags};
use rustix::io::Errno;

/// Maximum size of an object in bytes: the largest archive.
pub const MAX_OBJECT_BYTES: u64 = 128 << 20;
/// Maximum size of an object in a spooling store, in bytes: the largest tape.
const MAX_SPOOLED_BYTES: u64 = 1 << 30;

const TEMPORARY_PREFIX: &str = ".new-";

/// The object store of a state root, opened by directory handle so that a renamed path cannot redirect it.
#[derive(Debug)]
pub struct ObjectStore {
    directory: OwnedFd,
    path: PathBuf,
    /// True to sync files and directories after a write.
    synced: bool,
    /// Maximum size of an object in bytes.
    largest: u64,
}

/// Error of reading or writing an object.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum ObjectError {
    /// The object does not exist.
    #[error("object `{digest}` is missing")]
    Missing { digest: Sha256Digest },
    /// The path is not a regular file.
    #[error("object `{digest}` is a {found}, expected a regular file")]
    NotAFile { digest: Sha256Digest, found: &'static str },
    /// The file has another hard link, through which it could be modified.
    #[error("object `{digest}` has {links} links, expected 1")]
    Linked { digest: Sha256Digest, links: u64 },
    /// The file belongs to another user.
    #[error("object `{digest}` belongs to user {found}, expected {expected}")]
    Foreign {
        digest: Sha256Digest,
        /// User id of the file.
        found: u32,
        /// User id of this process.
        expected: u32,
    },
    /// The file is larger than an object of this store can be.
    #[error("object `{digest}` has more than {largest} bytes")]
    TooLarge {
        digest: Sha256Digest,
        /// Maximum size in bytes.
        largest: u64,
    },
    /// The content does not match the digest.
    #[error("object `{expected}` has the hash `{found}`")]
    Changed {
        /// Digest that was requested.
        expected: Sha256Digest,
        /// Digest of the content.
        found: Sha256Digest,
    },
    /// A file system operation failed.
    #[error("the object store `{}` failed to {doing}", path.display())]
    Io {
        doing: &'static str,
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
}

impl ObjectError {
    /// Returns whether the file was replaced or modified, rather than unreadable for the moment.
    pub fn is_tampering(&self) -> bool {
        !matches!(self, Self::Io { .. })
    }

    /// Returns the next step for the user.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io { .. } => "check free space, permissions and the disk, then try again",
            _ => "install the skill again from its `.palyra-skill` file",
        }
    }
}

impl ObjectStore {
    /// Creates the directory if it does not exist, with mode 0700, and opens it.
    pub fn create(path: &Path) -> Result<Self, ObjectError> {
        let io = |source: std::io::Error| failed("create the directory", path)(source);
        use std::os::unix::fs::DirBuilderExt;
        match std::fs::DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(io(error)),
            _ => {}
        }
        Self::open(path)
    }

    /// Opens the directory; fails if the path is a symbolic link.
    pub fn open(path: &Path) -> Result<Self, ObjectError> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let directory = rustix::fs::open(path, flags, Mode::empty())
            .map_err(|error| failed("open the directory", path)(error.into()))?;
        Ok(Self { directory, path: path.to_owned(), synced: true, largest: MAX_OBJECT_BYTES })
    }

    /// Returns a store whose writes are not synced: they survive a killed process, but not a power failure.
    #[must_use]
    pub fn spooling(self) -> Self {
        Self { synced: false, largest: MAX_SPOOLED_BYTES, ..self }
    }

    /// Stores bytes and returns their digest. The object is complete and, unless the store is spooling, on
    /// disk on return.
    pub fn put(&self, bytes: &[u8]) -> Result<Sha256Digest, ObjectError> {
        write::put(self, bytes)
    }

    /// Reads an object and verifies its digest.
    pub fn get(&self, digest: &Sha256Digest) -> Result<Arc<[u8]>, ObjectError> {
        read::get(self, digest)
    }

    /// Removes an object, also if the path is not a valid object; returns whether something was removed.
    pub fn remove(&self, digest: &Sha256Digest) -> Result<bool, ObjectError> {
        write::remove(self, digest)
    }

    /// Removes temporary files of interrupted writes and unreferenced objects; returns their number.
    pub fn sweep(&self, referenced: &dyn Fn(&Sha256Digest) -> bool) -> Result<usize, ObjectError> {
        write::sweep(self, referenced)
    }

    /// Returns the size of an object in bytes without reading it, or `None` if it does not exist.
    pub(crate) fn size_of(&self, digest: &Sha256Digest) -> Option<u64> {
        let (shard, name) = names_of(digest);
        let shard = self.shard(&shard).ok()?;
        size_at(&shard, &name)
    }

    /// Returns the total size of all objects in bytes.
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

    /// Returns the path of an object, for messages and tests.
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

/// Returns the directory and the file name of an object.
fn names_of(digest: &Sha256Digest) -> (String, String) {
    let name = digest.to_string();
    (name.get(..2).unwrap_or_default().to_owned(), name)
}

fn failed(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ObjectError {
    let path = path.to_owned();
    move |source| ObjectError::Io { doing, path, source }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn spooled_object_over_the_limit_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let store = ObjectStore::open(directory.path()).unwrap().spooling();
        assert_eq!(store.largest, 1 << 30);
        let store = ObjectStore { largest: 4, ..store };
        store.put(b"1234").unwrap();
        let refused = store.put(b"12345").unwrap_err();
        assert!(matches!(refused, ObjectError::TooLarge { largest: 4, .. }), "{refused}");
    }
}
