//! Finished guests by the hash of their inputs.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Cache;
use super::tidy::remove_old;
use crate::error::GuestkitError;

/// A stored guest that was not used for this time is removed.
const UNUSED_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

impl Cache {
    /// Returns the guest stored under `key`, if there is one, and marks it as used.
    pub(crate) fn stored(&self, key: &str) -> Result<Option<Vec<u8>>, GuestkitError> {
        let path = self.guest_path(key)?;
        match std::fs::read(&path) {
            Ok(bytes) => {
                // Marks it as used. An error is ignored, so that a read-only cache can be used.
                let _ = File::options()
                    .append(true)
                    .open(&path)
                    .and_then(|file| file.set_modified(SystemTime::now()));
                Ok(Some(bytes))
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(GuestkitError::file("read", &path)(error)),
        }
    }

    /// Stores a guest under `key`, and removes guests that were unused for long.
    pub(crate) fn store(&self, key: &str, bytes: &[u8]) -> Result<(), GuestkitError> {
        let path = self.guest_path(key)?;
        write_whole(&path, bytes)?;
        remove_old(path.parent().unwrap_or(&path), "", UNUSED_FOR, SystemTime::now());
        Ok(())
    }

    fn guest_path(&self, key: &str) -> Result<PathBuf, GuestkitError> {
        Ok(self.directory("guests")?.join(format!("{key}.wasm")))
    }
}

/// Writes `path` through a temporary file, so that a reader sees either the old bytes or the new ones.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), GuestkitError> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).map_err(GuestkitError::file("create", parent))?;
    let mut file = tempfile::Builder::new()
        .permissions(std::fs::Permissions::from_mode(0o644))
        .tempfile_in(parent)
        .map_err(GuestkitError::file("create a file in", parent))?;
    file.write_all(bytes).map_err(GuestkitError::file("write", path))?;
    file.persist(path).map_err(|error| GuestkitError::file("write", path)(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_stored_comes_back_under_its_key_only() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::new(root.path().to_path_buf());
        assert_eq!(cache.stored("k").unwrap(), None);
        cache.store("k", b"wasm").unwrap();
        assert_eq!(cache.stored("k").unwrap().as_deref(), Some(&b"wasm"[..]));
        assert_eq!(cache.stored("other").unwrap(), None);
    }

    #[test]
    fn a_guest_that_is_used_counts_as_new() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::new(root.path().to_path_buf());
        cache.store("k", b"wasm").unwrap();
        let path = cache.guest_path("k").unwrap();
        let long_ago = SystemTime::now() - 2 * UNUSED_FOR;
        File::options().append(true).open(&path).unwrap().set_modified(long_ago).unwrap();
        cache.stored("k").unwrap();
        cache.store("other", b"wasm").unwrap();
        assert!(cache.stored("k").unwrap().is_some());
        File::options().append(true).open(&path).unwrap().set_modified(long_ago).unwrap();
        cache.store("another", b"wasm").unwrap();
        assert_eq!(cache.stored("k").unwrap(), None);
    }

    #[test]
    fn a_written_file_is_readable_by_others_and_leaves_no_temporary() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("deep/er/guest.wasm");
        write_whole(&path, b"one").unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o600, 0o600);
    }
}
