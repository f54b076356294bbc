//! A log file of bounded size.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use palyra_state::StateRoot;

/// Size at which a log file is rotated; one earlier file is kept, so a log takes at most twice this size.
pub const MAX_LOG_BYTES: u64 = 8 << 20;

/// Returns the log file of a daemon that runs in the background.
pub fn log_path(root: &StateRoot) -> PathBuf {
    root.path().join("logs").join("palyrad.log")
}

/// Returns the path of the previous log.
pub fn previous_log_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".1");
    PathBuf::from(name)
}

/// Appends to a file that only this user can read, and rotates it when it is full.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    file: File,
    written: u64,
    limit: u64,
}

impl LogFile {
    /// Opens the file, and creates it and its directory if they are missing.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Self::open_limited(path, MAX_LOG_BYTES)
    }

    fn open_limited(path: &Path, limit: u64) -> io::Result<Self> {
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        }
        let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        let written = file.metadata()?.len();
        Ok(Self { path: path.to_owned(), file, written, limit })
    }

    fn rotate(&mut self) -> io::Result<()> {
        std::fs::rename(&self.path, previous_log_path(&self.path))?;
        *self = Self::open_limited(&self.path, self.limit)?;
        Ok(())
    }
}

impl Write for LogFile {
    /// Writes one line, as the subscriber passes it: a rotation never splits a line.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let length = line.len() as u64;
        if self.written > 0 && self.written.saturating_add(length) > self.limit {
            self.rotate()?;
        }
        self.file.write_all(line)?;
        self.written = self.written.saturating_add(length);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_full_log_is_put_aside_and_only_one_is_kept() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("logs/palyrad.log");
        let mut log = LogFile::open_limited(&path, 10).unwrap();
        for line in ["first\n", "second\n", "third\n"] {
            log.write_all(line.as_bytes()).unwrap();
        }
        let read = |path: &Path| std::fs::read_to_string(path).unwrap();
        assert_eq!((read(&path), read(&previous_log_path(&path))), ("third\n".into(), "second\n".into()));
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_log_goes_on_where_the_last_daemon_left_it() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("palyrad.log");
        LogFile::open_limited(&path, 10).unwrap().write_all(b"before\n").unwrap();
        LogFile::open_limited(&path, 10).unwrap().write_all(b"after\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "after\n");
        assert_eq!(std::fs::read_to_string(previous_log_path(&path)).unwrap(), "before\n");
    }

    #[test]
    fn a_line_longer_than_the_limit_is_written_whole() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("palyrad.log");
        LogFile::open_limited(&path, 4).unwrap().write_all(b"a long line\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a long line\n");
    }
}
