//! Exchanges two state roots in one step.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use super::BackupError;
use super::write::point;

/// Moves the directory `staged` to `root`; returns the new path of the old root, if there was one.
///
/// A process that is killed at any point leaves either the old or the new root at `root`, unless the file
/// system cannot exchange two directories.
pub(super) fn put_in_place(staged: &Path, root: &Path, now_ms: u64) -> Result<Option<PathBuf>, BackupError> {
    let moved = |path: &Path| BackupError::file("moved", path);
    point("restore: begin to move")?;
    if fs::symlink_metadata(root).is_err() {
        fs::rename(staged, root).map_err(moved(staged))?;
        sync_parent(root)?;
        return Ok(None);
    }
    // Giving the staged root its `before-` name first lets a single exchange complete the restore.
    let aside = free_name(root, now_ms);
    fs::rename(staged, &aside).map_err(moved(staged))?;
    point("restore: exchange")?;
    match renameat_with(CWD, &aside, CWD, root, RenameFlags::EXCHANGE) {
        Ok(()) => {}
        // The file system cannot exchange two directories: between the two renames no state root exists.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            fs::rename(&aside, staged).map_err(moved(&aside))?;
            fs::rename(root, &aside).map_err(moved(root))?;
            fs::rename(staged, root).map_err(moved(staged))?;
        }
        Err(error) => {
            // Moves it back to the staging directory, which the caller removes.
            let _ = fs::rename(&aside, staged);
            return Err(moved(root)(error.into()));
        }
    }
    point("restore: exchanged")?;
    sync_parent(root)?;
    Ok(Some(aside))
}

/// Returns `ROOT.WORD`, in the same directory so that moving it is a rename.
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
