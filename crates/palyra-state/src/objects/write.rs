//! Writes an object: temporary file, sync, rename, sync of the directory.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;

use palyra_common::fs::fault;
use palyra_skills::Sha256Digest;
use rustix::fs::{AtFlags, Mode, OFlags, fchmod, fsync, mkdirat, openat, renameat, unlinkat};
use rustix::io::Errno;

use super::{ObjectError, ObjectStore, TEMPORARY_PREFIX, failed, names_of};

pub(super) fn put(store: &ObjectStore, bytes: &[u8]) -> Result<Sha256Digest, ObjectError> {
    let digest = Sha256Digest::of(bytes);
    if bytes.len() as u64 > store.largest {
        return Err(ObjectError::TooLarge { digest, largest: store.largest });
    }
    let (shard, name) = names_of(&digest);
    let shard = shard_for_writing(store, &shard)?;
    // A valid object is not written again. Its directory is synced, because the earlier write may not have
    // got that far.
    if store.get(&digest).is_ok() {
        sync(store, &shard).map_err(|error| failed("sync a folder", &store.path)(error.into()))?;
        return Ok(digest);
    }
    let temporary = temporary_name()?;
    let written = write_temporary(store, &shard, &temporary, bytes)
        .and_then(|()| rename(store, &shard, &temporary, &name));
    if written.is_err() {
        let _ = unlinkat(&shard, temporary.as_str(), AtFlags::empty());
    }
    written.map(|()| digest)
}

pub(super) fn remove(store: &ObjectStore, digest: &Sha256Digest) -> Result<bool, ObjectError> {
    let (shard, name) = names_of(digest);
    let Ok(shard) = store.shard(&shard) else {
        return Ok(false);
    };
    point(store, "object: remove")?;
    match unlinkat(&shard, name.as_str(), AtFlags::empty()) {
        Ok(()) => Ok(true),
        Err(Errno::NOENT) => Ok(false),
        // An empty directory in its place is removed too; a non-empty one is kept.
        Err(Errno::ISDIR) => Ok(unlinkat(&shard, name.as_str(), AtFlags::REMOVEDIR).is_ok()),
        Err(error) => Err(failed("remove an object", &store.path)(error.into())),
    }
}

pub(super) fn sweep(
    store: &ObjectStore,
    referenced: &dyn Fn(&Sha256Digest) -> bool,
) -> Result<usize, ObjectError> {
    let mut gone = 0;
    for folder in store.names(&store.directory)? {
        let Ok(shard) = store.shard(&folder) else { continue };
        for name in store.names(&shard)? {
            let orphan = match name.parse::<Sha256Digest>() {
                Ok(digest) => !referenced(&digest),
                Err(_) => name.starts_with(TEMPORARY_PREFIX),
            };
            if orphan {
                point(store, "object: sweep")?;
                gone += usize::from(unlinkat(&shard, name.as_str(), AtFlags::empty()).is_ok());
            }
        }
    }
    Ok(gone)
}

fn shard_for_writing(store: &ObjectStore, name: &str) -> Result<OwnedFd, ObjectError> {
    let io = |error: Errno| failed("make a folder", &store.path)(error.into());
    point(store, "object: make folder")?;
    match mkdirat(&store.directory, name, Mode::RWXU) {
        Ok(()) => sync(store, &store.directory).map_err(io)?,
        Err(Errno::EXIST) => {}
        Err(error) => return Err(io(error)),
    }
    store.shard(name).map_err(io)
}

fn write_temporary(
    store: &ObjectStore,
    shard: &OwnedFd,
    name: &str,
    bytes: &[u8],
) -> Result<(), ObjectError> {
    let io = |source: std::io::Error| failed("write an object", &store.path)(source);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    point(store, "object: create temporary")?;
    let file = openat(shard, name, flags, Mode::RUSR | Mode::WUSR).map_err(|error| io(error.into()))?;
    let mut file = File::from(file);
    point(store, "object: write")?;
    file.write_all(bytes).map_err(io)?;
    fchmod(&file, Mode::RUSR | Mode::RGRP | Mode::ROTH).map_err(|error| io(error.into()))?;
    point(store, "object: sync")?;
    if store.synced { file.sync_all().map_err(io) } else { Ok(()) }
}

fn rename(store: &ObjectStore, shard: &OwnedFd, temporary: &str, name: &str) -> Result<(), ObjectError> {
    let io = |error: Errno| failed("rename an object", &store.path)(error.into());
    point(store, "object: rename")?;
    match renameat(shard, temporary, shard, name) {
        // Replaces an empty directory at the path; a non-empty one is an error.
        Err(Errno::ISDIR | Errno::NOTDIR | Errno::EXIST | Errno::NOTEMPTY) => {
            unlinkat(shard, name, AtFlags::REMOVEDIR).map_err(io)?;
            renameat(shard, temporary, shard, name).map_err(io)?;
        }
        other => other.map_err(io)?,
    }
    point(store, "object: sync folder")?;
    sync(store, shard).map_err(io)
}

fn sync(store: &ObjectStore, folder: &OwnedFd) -> Result<(), Errno> {
    if store.synced { fsync(folder) } else { Ok(()) }
}

fn point(store: &ObjectStore, name: &'static str) -> Result<(), ObjectError> {
    fault::point(name).map_err(failed(name, &store.path))
}

fn temporary_name() -> Result<String, ObjectError> {
    let mut bytes = [0; 12];
    getrandom::fill(&mut bytes).map_err(|error| ObjectError::Io {
        doing: "draw a random name",
        path: "the system random source".into(),
        source: std::io::Error::other(error.to_string()),
    })?;
    Ok(format!("{TEMPORARY_PREFIX}{}", hex::encode(bytes)))
}
