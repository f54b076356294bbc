//! Operations on the files of one directory.

use super::strict::{self, DIRECTORY_MODE, FILE_MODE};
use super::{FsError, fault};
use crate::redact::escape_untrusted;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The prefix of files that are being written. After a crash, incomplete files keep this name.
const TEMPORARY_PREFIX: &str = ".tmp-";
/// Maximum number of temporary names to try, because a process with the same pid may have left some.
const TEMPORARY_NAMES: usize = 1024;

/// A directory handle. Names refer to entries of the directory itself, and links are not followed.
///
/// Every file it reads must be regular, owned by this user, have mode 0600 or stricter, and exactly one hard link.
/// Every file it writes is created under a temporary name, synced and renamed, and the directory is synced: after a
/// crash there is either the old file or the new one.
#[derive(Debug)]
pub struct Directory {
    handle: File,
    path: PathBuf,
}

impl Directory {
    /// Opens a directory that belongs to this user and is closed to others. A symbolic link is an error.
    pub fn open_private(path: &Path) -> Result<Self, FsError> {
        let directory = Self::open(path, OFlags::NOFOLLOW)?;
        strict::check_directory(&directory.handle, path)?;
        Ok(directory)
    }

    /// Creates the directory and its parents with mode 0700 if missing, then opens it as [`Self::open_private`].
    pub fn create_private(path: &Path) -> Result<Self, FsError> {
        point("mkdir", path)?;
        let io = |error| FsError::io("create", path, error);
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if let Some(parent) = parent {
            std::fs::DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(parent).map_err(io)?;
        }
        match std::fs::DirBuilder::new().mode(DIRECTORY_MODE).create(path) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(io(error)),
            _ => {}
        }
        let directory = Self::open_private(path)?;
        Self::open_any(parent.unwrap_or(Path::new(".")))?.sync()?;
        Ok(directory)
    }

    /// Opens a directory with any owner and mode, to read or write one private file in it.
    pub fn open_any(path: &Path) -> Result<Self, FsError> {
        Self::open(path, OFlags::empty())
    }

    /// Opens the parent directory of a file, and returns it with the file's name.
    pub fn of_file(path: &Path) -> Result<(Self, String), FsError> {
        let name = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
        let name = name.ok_or_else(|| bad_name(&path.to_string_lossy()))?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        Ok((Self::open_any(parent.unwrap_or(Path::new(".")))?, name))
    }

    /// Returns the path that the directory was opened with, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the contents of a file of at most `limit` bytes, or `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// [`FsError::TooLarge`] above the limit, [`FsError::Changed`] if the file changes during the read, and the errors
    /// of [`Self::open_file`].
    pub fn read(&self, name: &str, limit: u64) -> Result<Option<Vec<u8>>, FsError> {
        let Some(mut file) = self.open_file(name)? else { return Ok(None) };
        let path = self.path.join(name);
        let size = strict::check_file(&file, &path)?.len();
        strict::read_all(&mut file, size, limit, &path).map(Some)
    }

    /// Opens a file that passes every check, or returns `None` if it does not exist.
    ///
    /// # Errors
    ///
    /// If it is not a regular file, belongs to another user, is accessible to others, or has another hard link.
    pub fn open_file(&self, name: &str) -> Result<Option<File>, FsError> {
        let path = self.entry(name)?;
        // Non-blocking, so that opening a FIFO fails instead of waiting for a writer.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match rustix::fs::openat(&self.handle, name, flags, Mode::empty()) {
            Ok(handle) => {
                let file = File::from(handle);
                strict::check_file(&file, &path)?;
                Ok(Some(file))
            }
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::LOOP) => Err(FsError::NotRegular { path, found: "a symbolic link" }),
            Err(error) => Err(FsError::io("open", &path, error)),
        }
    }

    /// Returns whether an entry of any type has this name.
    pub fn contains(&self, name: &str) -> Result<bool, FsError> {
        let path = self.entry(name)?;
        match rustix::fs::statat(&self.handle, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(_) => Ok(true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(FsError::io("examine", &path, error)),
        }
    }

    /// Replaces a file atomically. The new contents are durable when this returns.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), FsError> {
        let path = self.entry(name)?;
        let temporary = self.write_temporary(bytes)?;
        let renamed = point("rename", &path).and_then(|()| {
            rustix::fs::renameat(&self.handle, temporary.as_str(), &self.handle, name)
                .map_err(|error| FsError::io("replace", &path, error))
        });
        self.clean_up(renamed, &temporary)?;
        self.sync()
    }

    /// Like [`Self::write`], but fails if the name exists.
    pub fn write_new(&self, name: &str, bytes: &[u8]) -> Result<(), FsError> {
        let path = self.entry(name)?;
        let temporary = self.write_temporary(bytes)?;
        let renamed = point("rename", &path).and_then(|()| self.rename_new(&temporary, name, path));
        self.clean_up(renamed, &temporary)?;
        self.sync()
    }

    /// Removes a file durably. Returns `false` if it does not exist.
    pub fn remove(&self, name: &str) -> Result<bool, FsError> {
        let path = self.entry(name)?;
        point("unlink", &path)?;
        match rustix::fs::unlinkat(&self.handle, name, AtFlags::empty()) {
            Ok(()) => self.sync().map(|()| true),
            Err(Errno::NOENT) => Ok(false),
            Err(error) => Err(FsError::io("remove", &path, error)),
        }
    }

    /// Returns the names of the entries, sorted, without temporary files.
    pub fn names(&self) -> Result<Vec<String>, FsError> {
        let mut names = self.entries()?;
        names.retain(|name| !name.starts_with(TEMPORARY_PREFIX));
        Ok(names)
    }

    /// Removes temporary files of killed processes. Only for the single owner of the directory.
    pub fn sweep(&self) -> Result<usize, FsError> {
        let mut removed = 0;
        for name in self.entries()?.iter().filter(|name| name.starts_with(TEMPORARY_PREFIX)) {
            removed += usize::from(self.remove(name)?);
        }
        Ok(removed)
    }

    /// Opens a private subdirectory.
    ///
    /// # Errors
    ///
    /// If it is missing or a link, belongs to another user, or is accessible to others.
    pub fn open_private_in(&self, name: &str) -> Result<Self, FsError> {
        let path = self.entry(name)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(&self.handle, name, flags, Mode::empty())
            .map_err(|error| open_directory_error(&path, error))?;
        let directory = Self { handle: File::from(handle), path };
        strict::check_directory(&directory.handle, &directory.path)?;
        Ok(directory)
    }

    /// Creates a private subdirectory if missing, then opens it.
    pub fn create_private_in(&self, name: &str) -> Result<Self, FsError> {
        let path = self.entry(name)?;
        point("mkdir", &path)?;
        match rustix::fs::mkdirat(&self.handle, name, Mode::RWXU) {
            Ok(()) => self.sync()?,
            Err(Errno::EXIST) => {}
            Err(error) => return Err(FsError::io("create", &path, error)),
        }
        self.open_private_in(name)
    }

    /// Syncs the directory, which makes its entries durable.
    pub fn sync(&self) -> Result<(), FsError> {
        point("fsync directory", &self.path)?;
        self.handle.sync_all().map_err(|error| FsError::io("sync", &self.path, error))
    }

    /// Opens the same directory with another descriptor, with the checks of [`Self::open_private`].
    pub(super) fn reopen(&self) -> Result<Self, FsError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(&self.handle, ".", flags, Mode::empty())
            .map_err(|error| open_directory_error(&self.path, error))?;
        let directory = Self { handle: File::from(handle), path: self.path.clone() };
        strict::check_directory(&directory.handle, &directory.path)?;
        Ok(directory)
    }

    pub(super) fn handle(&self) -> &File {
        &self.handle
    }

    fn open(path: &Path, flags: OFlags) -> Result<Self, FsError> {
        let flags = (flags | OFlags::DIRECTORY).bits().cast_signed();
        let handle = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(path);
        let handle = handle.map_err(|error| match Errno::from_io_error(&error) {
            Some(errno) => open_directory_error(path, errno),
            None => FsError::io("open", path, error),
        })?;
        Ok(Self { handle, path: path.to_owned() })
    }

    fn write_temporary(&self, bytes: &[u8]) -> Result<String, FsError> {
        let (mut file, name) = self.create_temporary()?;
        let path = self.path.join(&name);
        let written = (|| {
            point("write", &path)?;
            file.write_all(bytes).map_err(|error| FsError::io("write", &path, error))?;
            point("fsync", &path)?;
            file.sync_all().map_err(|error| FsError::io("sync", &path, error))
        })();
        self.clean_up(written, &name)?;
        Ok(name)
    }

    fn create_temporary(&self) -> Result<(File, String), FsError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        point("create", &self.path)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _ in 0..TEMPORARY_NAMES {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{TEMPORARY_PREFIX}{}-{number}", std::process::id());
            match rustix::fs::openat(&self.handle, name.as_str(), flags, Mode::from_raw_mode(FILE_MODE as _))
            {
                Ok(handle) => return Ok((File::from(handle), name)),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(FsError::io("create a file in", &self.path, error)),
            }
        }
        Err(FsError::io("create a file in", &self.path, Errno::EXIST))
    }

    /// Renames without replacing. If the file system does not support that, checks for the name first.
    fn rename_new(&self, temporary: &str, name: &str, path: PathBuf) -> Result<(), FsError> {
        let (from, to) = (&self.handle, &self.handle);
        let renamed = match rustix::fs::renameat_with(from, temporary, to, name, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS) if self.contains(name)? => Err(Errno::EXIST),
            Err(Errno::INVAL | Errno::NOSYS) => rustix::fs::renameat(from, temporary, to, name),
            renamed => renamed,
        };
        match renamed {
            Err(Errno::EXIST) => Err(FsError::Exists { path }),
            renamed => renamed.map_err(|error| FsError::io("create", &path, error)),
        }
    }

    /// Removes a temporary file after a failure; returns the first error.
    fn clean_up<T>(&self, outcome: Result<T, FsError>, temporary: &str) -> Result<T, FsError> {
        if outcome.is_err() && point("unlink", &self.path).is_ok() {
            let _ = rustix::fs::unlinkat(&self.handle, temporary, AtFlags::empty());
        }
        outcome
    }

    fn entries(&self) -> Result<Vec<String>, FsError> {
        let io = |error| FsError::io("list", &self.path, error);
        let mut names = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.handle).map_err(io)? {
            let entry = entry.map_err(io)?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            let name = std::str::from_utf8(name).map_err(|_| bad_name(&String::from_utf8_lossy(name)))?;
            names.push(name.to_owned());
        }
        names.sort_unstable();
        Ok(names)
    }

    pub(super) fn entry(&self, name: &str) -> Result<PathBuf, FsError> {
        let plain = !name.is_empty() && name.len() <= 255 && name != "." && name != "..";
        if !plain || name.bytes().any(|byte| matches!(byte, b'/' | 0)) {
            return Err(bad_name(name));
        }
        Ok(self.path.join(name))
    }
}

fn point(name: &'static str, path: &Path) -> Result<(), FsError> {
    fault::point(name).map_err(|error| FsError::io(name, path, error))
}

fn open_directory_error(path: &Path, error: Errno) -> FsError {
    match error {
        Errno::LOOP | Errno::NOTDIR => FsError::NotADirectory { path: path.to_owned() },
        error => FsError::io("open", path, error),
    }
}

fn bad_name(name: &str) -> FsError {
    FsError::BadName { name: escape_untrusted(name) }
}

#[cfg(test)]
#[path = "directory_tests.rs"]
mod tests;
