//! Removal of old guests, and of directories of interrupted runs.

use std::path::Path;
use std::time::{Duration, SystemTime};

/// Age at which a temporary directory cannot belong to a running build any more.
pub(super) const LEFT_BEHIND_FOR: Duration = Duration::from_secs(24 * 3600);

/// Removes the entries of `directory` that start with `prefix` and were last changed more than `age` ago.
///
/// Entries that cannot be removed are left without an error.
pub(super) fn remove_old(directory: &Path, prefix: &str, age: Duration, now: SystemTime) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        let old =
            metadata.modified().is_ok_and(|changed| now.duration_since(changed).is_ok_and(|past| past > age));
        if !old || !entry.file_name().to_string_lossy().starts_with(prefix) {
            continue;
        }
        let _ = if metadata.is_dir() {
            std::fs::remove_dir_all(entry.path())
        } else {
            std::fs::remove_file(entry.path())
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_entries_with_the_prefix_go() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path();
        std::fs::create_dir_all(path.join("work-1/deep")).unwrap();
        std::fs::write(path.join("work-2"), "").unwrap();
        std::fs::create_dir_all(path.join("zig")).unwrap();
        let age = Duration::from_secs(60);
        let count = || std::fs::read_dir(path).unwrap().count();
        remove_old(path, "work-", age, SystemTime::now() + age / 2);
        assert_eq!(count(), 3);
        remove_old(path, "work-", age, SystemTime::now() + age * 2);
        assert_eq!(count(), 1);
        assert!(path.join("zig").is_dir());
    }
}
