//! Finished guests by the hash of their inputs.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Cache;
use crate::error::GuestkitError;

/// A stored guest nobody asked for in this time is removed.
const UNUSED_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

impl Cache {
    /// The guest stored under `key`, if there is one.
    pub(crate) fn stored(&self, key: &str) -> Result<Option<Vec<u8>>, GuestkitError> {
        let path = self.guest_path(key)?;
        match std::fs::read(&path) {
            Ok(bytes) => {
                // Marks it as used; a cache on a read-only disk is still a cache.
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

    /// Store a guest under `key`.
    pub(crate) fn store(&self, key: &str, bytes: &[u8]) -> Result<(), GuestkitError> {
        let path = self.guest_path(key)?;
        write_whole(&path, bytes)?;
        remove_unused(path.parent().unwrap_or(&path), SystemTime::now());
        Ok(())
    }

    fn guest_path(&self, key: &str) -> Result<PathBuf, GuestkitError> {
        Ok(self.directory("guests")?.join(format!("{key}.wasm")))
    }
}

/// Write `path` through a temporary file, so that a reader sees the old bytes or the new ones.
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

/// Tidying is a courtesy: a file that cannot be removed stays.
fn remove_unused(directory: &Path, now: SystemTime) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let age =
            entry.metadata().and_then(|metadata| metadata.modified()).map(|used| now.duration_since(used));
        if let Ok(Ok(age)) = age
            && age > UNUSED_FOR
        {
            let _ = std::fs::remove_file(entry.path());
        }
    }
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
    fn only_guests_unused_for_a_month_are_removed() {
        let root = tempfile::tempdir().unwrap();
        let cache = Cache::new(root.path().to_path_buf());
        cache.store("k", b"wasm").unwrap();
        let guests = root.path().join("guests");
        remove_unused(&guests, SystemTime::now() + UNUSED_FOR - Duration::from_secs(60));
        assert!(cache.stored("k").unwrap().is_some());
        remove_unused(&guests, SystemTime::now() + UNUSED_FOR + Duration::from_secs(60));
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
