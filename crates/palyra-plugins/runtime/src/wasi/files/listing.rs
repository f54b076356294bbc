//! Directory listings: every entry is counted against the run's memory while it is read.
//!
//! The library's own listing collects a whole directory before anything can be counted, and a guest with a directory to
//! write to chooses how many entries that directory has.

use super::taped::{Entry, Kind};
use crate::meter::HeldBytes;
use crate::run_context::{FileErrorCode, HostFailure, RunContext};
use rustix::fs::{AtFlags, Dir, FileType, statat};
use rustix::io::Errno;
use std::collections::VecDeque;
use std::ffi::CStr;
use std::fs::File;
use std::sync::Arc;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

/// Size charged for an entry in addition to its name, in bytes.
const ENTRY_BYTES: usize = 64;

/// The entries of a directory that the guest has not read yet.
pub(super) struct Listing {
    entries: VecDeque<Entry>,
    _held: HeldBytes,
}

impl Listing {
    /// Creates a listing whose entries are charged to the run as long as it exists.
    pub(super) fn new(run: &RunContext, entries: Vec<Entry>) -> Result<Self, HostFailure> {
        let held = run.hold(entries.iter().map(|entry| cost(&entry.1)).sum())?;
        Ok(Self { entries: entries.into(), _held: held })
    }

    pub(super) fn next_entry(&mut self) -> Option<Entry> {
        self.entries.pop_front()
    }
}

/// Reads a directory in a blocking task, until its entries exceed the remaining memory of the run.
pub(super) async fn read_entries(
    run: Arc<RunContext>,
    directory: Arc<File>,
) -> Result<Vec<Entry>, HostFailure> {
    let reading = tokio::task::spawn_blocking(move || read_counted(&run, &directory));
    reading.await.map_err(|error| HostFailure::Unavailable(error.to_string()))?
}

fn read_counted(run: &RunContext, directory: &File) -> Result<Vec<Entry>, HostFailure> {
    let mut held = run.hold(0)?;
    let (mut entries, mut bytes) = (Vec::new(), 0usize);
    for entry in Dir::read_from(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let kind = match entry.file_type() {
            // Some file systems leave the type out of their listings.
            FileType::Unknown => type_of(directory, name)?,
            known => known,
        };
        let name = name.to_str().map_err(|_| file_error(ErrorCode::IllegalByteSequence))?;
        bytes = bytes.saturating_add(cost(name));
        run.resize(&mut held, bytes)?;
        entries.push(Entry(kind_of(kind), name.to_owned()));
    }
    Ok(entries)
}

fn cost(name: &str) -> usize {
    ENTRY_BYTES + name.len()
}

fn type_of(directory: &File, name: &CStr) -> Result<FileType, HostFailure> {
    let found = statat(directory, name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
    Ok(FileType::from_raw_mode(found.st_mode))
}

fn kind_of(kind: FileType) -> Kind {
    match kind {
        FileType::RegularFile => Kind::RegularFile,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::SymbolicLink,
        FileType::Fifo => Kind::Fifo,
        FileType::Socket => Kind::Socket,
        FileType::CharacterDevice => Kind::CharacterDevice,
        FileType::BlockDevice => Kind::BlockDevice,
        FileType::Unknown => Kind::Unknown,
    }
}

fn failed(error: Errno) -> HostFailure {
    file_error(std::io::Error::from(error).into())
}

fn file_error(code: ErrorCode) -> HostFailure {
    HostFailure::File(FileErrorCode(code))
}
