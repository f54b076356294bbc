//! Reads an object: checks the path, opens it once, checks the opened file, reads and hashes.

use std::fs::File;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use palyra_skills::Sha256Digest;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat, fstat, openat, statat};
use rustix::io::Errno;

use super::{ObjectError, ObjectStore, failed, names_of};

pub(super) fn get(store: &ObjectStore, digest: &Sha256Digest) -> Result<Arc<[u8]>, ObjectError> {
    let (shard, name) = names_of(digest);
    let shard = match store.shard(&shard) {
        Ok(shard) => shard,
        Err(Errno::NOENT) => return Err(ObjectError::Missing { digest: *digest }),
        Err(Errno::NOTDIR | Errno::LOOP) => {
            return Err(ObjectError::NotAFile {
                digest: *digest,
                found: "link or file in place of its folder",
            });
        }
        Err(error) => return Err(failed("open a folder", &store.path)(error.into())),
    };
    let (file, size) = open(store, &shard, &name, digest)?;
    let bytes = read(file, size, digest, store)?;
    let found = Sha256Digest::of(&bytes);
    if found == *digest { Ok(bytes) } else { Err(ObjectError::Changed { expected: *digest, found }) }
}

/// Checks the path first, because opening a FIFO or device can block or have side effects, and checks the
/// opened file again in case the path was replaced.
fn open(
    store: &ObjectStore,
    shard: &OwnedFd,
    name: &str,
    digest: &Sha256Digest,
) -> Result<(File, u64), ObjectError> {
    let io = |error: Errno| match error {
        Errno::NOENT => ObjectError::Missing { digest: *digest },
        Errno::LOOP => ObjectError::NotAFile { digest: *digest, found: "symbolic link" },
        error => failed("open an object", &store.path)(error.into()),
    };
    check(&statat(shard, name, AtFlags::SYMLINK_NOFOLLOW).map_err(io)?, digest, store.largest)?;
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = openat(shard, name, flags, Mode::empty()).map_err(io)?;
    let size = check(&fstat(&file).map_err(io)?, digest, store.largest)?;
    Ok((File::from(file), size))
}

fn check(stat: &Stat, digest: &Sha256Digest, largest: u64) -> Result<u64, ObjectError> {
    let digest = *digest;
    let kind = FileType::from_raw_mode(stat.st_mode);
    if kind != FileType::RegularFile {
        return Err(ObjectError::NotAFile { digest, found: kind_name(kind) });
    }
    let expected = rustix::process::geteuid().as_raw();
    if stat.st_uid != expected {
        return Err(ObjectError::Foreign { digest, found: stat.st_uid, expected });
    }
    if stat.st_nlink != 1 {
        #[allow(clippy::useless_conversion, reason = "the width of a link count differs between systems")]
        let links = u64::from(stat.st_nlink);
        return Err(ObjectError::Linked { digest, links });
    }
    match u64::try_from(stat.st_size) {
        Ok(size) if size <= largest => Ok(size),
        _ => Err(ObjectError::TooLarge { digest, largest }),
    }
}

fn read(file: File, size: u64, digest: &Sha256Digest, store: &ObjectStore) -> Result<Arc<[u8]>, ObjectError> {
    let capacity = usize::try_from(size)
        .map_err(|_| ObjectError::TooLarge { digest: *digest, largest: store.largest })?;
    let mut bytes = Vec::with_capacity(capacity);
    // One byte more than the known size: a file that grows gets another digest, and an endless one is not read forever.
    file.take(size.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(failed("read an object", &store.path))?;
    Ok(bytes.into())
}

fn kind_name(kind: FileType) -> &'static str {
    match kind {
        FileType::Symlink => "symbolic link",
        FileType::Fifo => "FIFO",
        FileType::Directory => "directory",
        FileType::CharacterDevice => "character device",
        FileType::BlockDevice => "block device",
        FileType::Socket => "socket",
        _ => "file of an unknown kind",
    }
}
