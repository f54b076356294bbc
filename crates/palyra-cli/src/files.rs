//! Files named in arguments: checked before they are read, and never read without a limit.

use crate::error::CliError;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Reason why a named file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("file `{}` does not exist", .0.display())]
    Missing(PathBuf),
    /// It is a directory.
    #[error("`{}` is a directory, not a file", .0.display())]
    Directory(PathBuf),
    /// It is a FIFO, a device or a socket, from which a read could block forever.
    #[error("`{}` is not a regular file", .0.display())]
    NotRegular(PathBuf),
    /// It cannot be opened or read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        path: PathBuf,
        /// The operating system error.
        source: io::Error,
    },
    /// It exceeds the size limit.
    #[error("`{}` has {bytes} bytes, the limit is {most}", path.display())]
    TooLong { path: PathBuf, bytes: u64, most: u64 },
}

/// Reads a regular file of at most `most` bytes; a longer one is rejected without reading it.
pub(crate) fn read_file(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let (file, length) = open_file(path, most)?;
    let unreadable = |source| FileError::Unreadable { path: path.to_owned(), source };
    let (bytes, whole) = read_at_most(file, length, most).map_err(unreadable)?;
    // The file grew during the read.
    let too_long = |bytes| FileError::TooLong { path: path.to_owned(), bytes, most };
    if whole { Ok(bytes) } else { Err(too_long(bytes.len() as u64)) }
}

/// Opens a regular file of at most `most` bytes; returns it with its length.
pub(crate) fn open_file(path: &Path, most: u64) -> Result<(File, u64), FileError> {
    let file = open(path)?;
    let unreadable = |source| FileError::Unreadable { path: path.to_owned(), source };
    let metadata = file.metadata().map_err(unreadable)?;
    if metadata.is_dir() {
        return Err(FileError::Directory(path.to_owned()));
    }
    if !metadata.is_file() {
        return Err(FileError::NotRegular(path.to_owned()));
    }
    match metadata.len() {
        bytes if bytes > most => Err(FileError::TooLong { path: path.to_owned(), bytes, most }),
        length => Ok((file, length)),
    }
}

/// Reads at most one byte more than `most`; returns whether that was the whole source.
///
/// Allocates the expected length at once, so that growing the buffer leaves no copies of a secret in memory.
pub(crate) fn read_at_most(source: impl Read, expected: u64, most: u64) -> io::Result<(Vec<u8>, bool)> {
    let capacity = usize::try_from(expected.min(most).saturating_add(1)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(capacity);
    source.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    let whole = bytes.len() as u64 <= most;
    Ok((bytes, whole))
}

/// A file that must not exist yet, written atomically.
pub(crate) struct NewFile<'p> {
    path: &'p Path,
    file: tempfile::NamedTempFile,
}

impl<'p> NewFile<'p> {
    /// Checks that it can be written.
    pub(crate) fn prepare(path: &'p Path) -> Result<Self, CliError> {
        if path.symlink_metadata().is_ok() {
            return Err(taken(path));
        }
        let directory =
            path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = tempfile::NamedTempFile::new_in(directory)
            .map_err(|error| CliError::unusable_place("file", path, &error))?;
        Ok(Self { path, file })
    }

    pub(crate) fn write(mut self, bytes: &[u8]) -> Result<(), CliError> {
        let written = self.file.write_all(bytes).and_then(|()| self.file.as_file().sync_all());
        written.map_err(|error| CliError::unusable_place("file", self.path, &error))?;
        self.keep()
    }

    /// Returns the temporary file, which is removed unless it is kept.
    pub(crate) fn unfinished(&self) -> Result<File, CliError> {
        let file = self.file.as_file().try_clone();
        file.map_err(|error| CliError::unusable_place("file", self.path, &error))
    }

    pub(crate) fn unfinished_path(&self) -> &Path {
        self.file.path()
    }

    /// Renames it to its final name.
    pub(crate) fn keep(self) -> Result<(), CliError> {
        match self.file.persist_noclobber(self.path) {
            Ok(_) => Ok(()),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(taken(self.path)),
            Err(error) => Err(CliError::unusable_place("file", self.path, &error.error)),
        }
    }
}

/// Writes a file atomically, replacing an existing one.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let cannot = |error: io::Error| CliError::unusable_place("directory", folder, &error);
    let mut part = tempfile::NamedTempFile::new_in(folder).map_err(cannot)?;
    part.write_all(bytes).and_then(|()| part.as_file().sync_all()).map_err(cannot)?;
    part.persist(path).map_err(|error| {
        CliError::usage(format!("`{}` cannot be written: {}", path.display(), error.error))
    })?;
    Ok(())
}

fn taken(path: &Path) -> CliError {
    CliError::usage_with_hint(
        format!("file `{}` already exists", path.display()),
        "choose another name; nothing was written",
    )
}

/// Opens a file without blocking on a FIFO.
fn open(path: &Path) -> Result<File, FileError> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).map(File::from).map_err(|error| match error {
        Errno::NOENT | Errno::NOTDIR => FileError::Missing(path.to_owned()),
        Errno::NXIO | Errno::NODEV => FileError::NotRegular(path.to_owned()),
        error => FileError::Unreadable { path: path.to_owned(), source: error.into() },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_short_regular_files_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = |name: &str| directory.path().join(name);
        std::fs::write(path("five"), "12345").unwrap();
        assert_eq!(read_file(&path("five"), 5).unwrap(), b"12345");
        assert!(matches!(read_file(&path("five"), 4), Err(FileError::TooLong { bytes: 5, most: 4, .. })));
        assert!(matches!(read_file(&path("none"), 5), Err(FileError::Missing(_))));
        assert!(matches!(read_file(&path("five/below"), 5), Err(FileError::Missing(_))));
        assert!(matches!(read_file(directory.path(), 5), Err(FileError::Directory(_))));
        assert!(matches!(read_file(Path::new("/dev/zero"), 5), Err(FileError::NotRegular(_))));
        let fifo = path("fifo");
        rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, Mode::RUSR, 0).unwrap();
        assert!(matches!(read_file(&fifo, 5), Err(FileError::NotRegular(_))));
    }

    #[test]
    fn a_sparse_giant_is_refused_by_its_length() {
        let file = tempfile::NamedTempFile::new().unwrap();
        file.as_file().set_len(2 << 30).unwrap();
        assert!(matches!(
            read_file(file.path(), 1 << 20),
            Err(FileError::TooLong { bytes: 2_147_483_648, .. })
        ));
    }
}
