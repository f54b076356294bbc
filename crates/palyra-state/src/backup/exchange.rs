//! Exchanging two state roots in one step.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::BackupError;
use super::write::point;

/// Puts the directory `staged` in the place of `root`; returns where the old one is, if there was one.
///
/// A process that ends anywhere in between leaves the old root or the new one at the path.
pub(super) fn put_in_place(staged: &Path, root: &Path, now_ms: u64) -> Result<Option<PathBuf>, BackupError> {
    let moved = |path: &Path| BackupError::file("moved", path);
    point("restore: begin to move")?;
    if fs::symlink_metadata(root).is_err() {
        fs::rename(staged, root).map_err(moved(staged))?;
        sync_parent(root)?;
        return Ok(None);
    }
    // The new root takes the name of the old one's last place first, so that one exchange does the rest.
    let aside = free_name(root, now_ms);
    fs::rename(staged, &aside).map_err(moved(staged))?;
    point("restore: exchange")?;
    match renameat_with(CWD, &aside, CWD, root, RenameFlags::EXCHANGE) {
        Ok(()) => {}
        // A file system that cannot exchange: for a moment there is no state root.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            fs::rename(&aside, staged).map_err(moved(&aside))?;
            fs::rename(root, &aside).map_err(moved(root))?;
            fs::rename(staged, root).map_err(moved(staged))?;
        }
        Err(error) => {
            // Moves it back to the staging place, where it is removed.
            let _ = fs::rename(&aside, staged);
            return Err(moved(root)(error.into()));
        }
    }
    point("restore: exchanged")?;
    sync_parent(root)?;
    Ok(Some(aside))
}

/// `ROOT.WORD`, in the same folder, so that moving it is one step.
pub(super) fn beside(root: &Path, word: &str) -> PathBuf {
    let mut name = root.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{word}"));
    root.with_file_name(name)
}

fn free_name(root: &Path, now_ms: u64) -> PathBuf {
    let first = beside(root, &format!("before-{now_ms}"));
    let others = (1..u32::MAX).map(|number| beside(root, &format!("before-{now_ms}-{number}")));
    let is_free = |path: &PathBuf| fs::symlink_metadata(path).is_err();
    std::iter::once(first.clone()).chain(others).find(is_free).unwrap_or(first)
}

fn sync_parent(root: &Path) -> Result<(), BackupError> {
    let parent = root.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let synced = File::open(parent).and_then(|parent| parent.sync_all());
    synced.map_err(|error: io::Error| BackupError::file("written", parent)(error))
}
