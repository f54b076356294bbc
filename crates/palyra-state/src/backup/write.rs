//! Making a copy, while the state is in use.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::TryLockError;

use super::BackupError;
use super::archive::{self, copy_hashed};
use super::manifest::{BackupFile, BackupManifest};
use super::mirror::Mirror;
use crate::state::State;

impl State {
    /// Writes everything, as it is at one moment, into a file; blocks the calling thread, and calls go on.
    ///
    /// The journal in it ends with a leaf that tells of the copy and a signed checkpoint.
    pub fn backup(&self, to: &mut File, principal: &str) -> Result<BackupManifest, BackupError> {
        let _one_at_a_time = match self.backups.try_lock() {
            Ok(held) => held,
            Err(TryLockError::Poisoned(held)) => held.into_inner(),
            Err(TryLockError::WouldBlock) => return Err(BackupError::UnderWay),
        };
        let (created_ms, device_key) = (self.now_ms(), self.vault().describe().name());
        let mirror = Mirror::make(self, principal)?;
        let (folders, files) = list(mirror.folder())?;
        let manifest = BackupManifest::new(created_ms, device_key, &mirror.checkpoint, folders, files);
        archive::write(&manifest, mirror.folder(), to)?;
        Ok(manifest)
    }
}

/// Every folder and every file below the root in one order, files with their hash.
fn list(root: &Path) -> Result<(Vec<String>, Vec<BackupFile>), BackupError> {
    let (mut named, mut found) = (Vec::new(), Vec::new());
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(BackupError::file("read", &folder))?;
        for entry in entries {
            let path = entry.map_err(BackupError::file("read", &folder))?.path();
            let name = path.strip_prefix(root).ok().and_then(Path::to_str).map(str::to_owned);
            let name = name.ok_or_else(|| BackupError::OddEntry(path.clone()))?;
            let metadata = fs::symlink_metadata(&path).map_err(BackupError::file("read", &path))?;
            if metadata.is_dir() {
                named.push(name);
                folders.push(path);
            } else {
                found.push((name, path, metadata.mode() & 0o777));
            }
        }
    }
    named.sort();
    found.sort();
    let files: Result<_, _> =
        found.into_iter().map(|(name, path, mode)| describe(name, &path, mode)).collect();
    Ok((named, files?))
}

fn describe(path: String, file: &Path, mode: u32) -> Result<BackupFile, BackupError> {
    let mut opened = File::open(file).map_err(BackupError::file("read", file))?;
    let bytes = opened.metadata().map_err(BackupError::file("read", file))?.len();
    let sha256 = copy_hashed(&mut opened, &mut io::sink())?;
    Ok(BackupFile { path, bytes, mode, sha256 })
}
