//! Checks of opened files and directories before they are used.

use super::FsError;
use std::fs::{File, FileType, Metadata};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

/// Permission bits of a private file.
pub(super) const FILE_MODE: u32 = 0o600;
/// Permission bits of a private directory.
pub(super) const DIRECTORY_MODE: u32 = 0o700;

/// Checks for a regular file of this user with one hard link, closed to others.
pub(super) fn check_file(file: &File, path: &Path) -> Result<Metadata, FsError> {
    let metadata = file.metadata().map_err(|error| FsError::io("examine", path, error))?;
    if !metadata.is_file() {
        return Err(FsError::NotRegular { path: path.to_owned(), found: kind(metadata.file_type()) });
    }
    check_owner(&metadata, path, FILE_MODE)?;
    if metadata.nlink() != 1 {
        return Err(FsError::HardLinked { path: path.to_owned(), links: metadata.nlink() });
    }
    Ok(metadata)
}

/// Checks for a directory of this user, closed to others.
pub(super) fn check_directory(directory: &File, path: &Path) -> Result<(), FsError> {
    let metadata = directory.metadata().map_err(|error| FsError::io("examine", path, error))?;
    check_owner(&metadata, path, DIRECTORY_MODE)
}

/// Reads a file of at most `limit` bytes. The buffer is never reallocated, so that the caller can wipe it.
pub(super) fn read_all(file: &mut File, size: u64, limit: u64, path: &Path) -> Result<Vec<u8>, FsError> {
    let too_large = || FsError::TooLarge { path: path.to_owned(), size, limit };
    if size > limit {
        return Err(too_large());
    }
    let mut bytes = vec![0; usize::try_from(size).map_err(|_| too_large())?];
    let changed = || FsError::Changed { path: path.to_owned() };
    file.read_exact(&mut bytes).map_err(|error| match error.kind() {
        std::io::ErrorKind::UnexpectedEof => changed(),
        _ => FsError::io("read", path, error),
    })?;
    match file.read(&mut [0]).map_err(|error| FsError::io("read", path, error))? {
        0 => Ok(bytes),
        _ => Err(changed()),
    }
}

fn check_owner(metadata: &Metadata, path: &Path, expected: u32) -> Result<(), FsError> {
    let us = rustix::process::geteuid().as_raw();
    if metadata.uid() != us {
        return Err(FsError::OtherOwner { path: path.to_owned(), found: metadata.uid(), expected: us });
    }
    let mode = metadata.mode() & 0o7777;
    if mode & 0o077 != 0 {
        return Err(FsError::TooOpen { path: path.to_owned(), mode, expected });
    }
    Ok(())
}

fn kind(found: FileType) -> &'static str {
    if found.is_dir() {
        "a directory"
    } else if found.is_fifo() {
        "a FIFO"
    } else if found.is_socket() {
        "a socket"
    } else if found.is_symlink() {
        "a symbolic link"
    } else {
        "a device"
    }
}
