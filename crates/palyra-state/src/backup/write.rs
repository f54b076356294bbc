//! Makes a backup while the state is in use.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::BackupError;
use super::archive::{self, copy_hashed};
use super::layout::{self, IN_PLACE};
use super::manifest::{BackupFile, BackupManifest};
use super::mirror::Mirror;
use crate::state::State;

impl State {
    /// Writes a consistent backup to a file. Blocks the calling thread; other calls continue.
    ///
    /// The journal in it ends with a leaf that records the backup and a signed checkpoint; the manifest over
    /// all files is signed by the same key. Fails with [`BackupError::UnderWay`] if another backup is in progress.
    pub fn backup(&self, to: &mut File, principal: &str) -> Result<BackupManifest, BackupError> {
        let _under_way = UnderWay::begin(&self.backing_up)?;
        let (created_ms, device_key) = (self.now_ms(), self.vault().describe().name());
        let mirror = Mirror::make(self, principal)?;
        let root = self.root().path();
        let mut found = Found::default();
        found.below(mirror.folder(), Path::new(""))?;
        for folder in IN_PLACE.into_iter().filter(|folder| root.join(folder).exists()) {
            found.folders.push(folder.to_owned());
            // A file that is still being written has a temporary name, which is not on the list.
            found.below(root, Path::new(folder))?;
        }
        let (folders, files) = found.described(|name| place(&mirror, root, name))?;
        let signer = self.keeper.signer()?;
        let manifest =
            BackupManifest::new(created_ms, device_key, &mirror.checkpoint, signer.key(), folders, files);
        archive::write(&manifest, &signer, |name| place(&mirror, root, name), to)?;
        Ok(manifest)
    }
}

/// Marks a fault point, at which a test ends the process.
pub(super) fn point(name: &'static str) -> Result<(), BackupError> {
    palyra_common::fs::fault::point(name).map_err(BackupError::Write)
}

/// Returns the path from which a file of the backup is read.
fn place(mirror: &Mirror, root: &Path, name: &str) -> PathBuf {
    let in_place = IN_PLACE.iter().any(|folder| Path::new(name).starts_with(folder));
    if in_place { root.join(name) } else { mirror.folder().join(name) }
}

/// Guard that permits one backup at a time.
struct UnderWay<'a>(&'a AtomicBool);

impl<'a> UnderWay<'a> {
    fn begin(flag: &'a AtomicBool) -> Result<Self, BackupError> {
        if flag.swap(true, Ordering::SeqCst) { Err(BackupError::UnderWay) } else { Ok(Self(flag)) }
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

/// Directories and files by path below the root; files with their permission bits.
#[derive(Default)]
struct Found {
    folders: Vec<String>,
    files: Vec<(String, u32)>,
}

impl Found {
    /// Adds what a backup may contain and skips everything else.
    fn below(&mut self, root: &Path, folder: &Path) -> Result<(), BackupError> {
        let read = root.join(folder);
        for entry in fs::read_dir(&read).map_err(BackupError::file("read", &read))? {
            let entry = entry.map_err(BackupError::file("read", &read))?;
            let (path, name) = (entry.path(), folder.join(entry.file_name()));
            let odd = || BackupError::OddEntry(path.clone());
            let Some(text) = name.to_str().map(str::to_owned) else { continue };
            let (as_folder, as_file) = (layout::is_folder(&text), layout::is_file(&text));
            if !as_folder && !as_file {
                continue;
            }
            let metadata = match fs::symlink_metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                found => found.map_err(BackupError::file("read", &path))?,
            };
            if metadata.is_dir() && as_folder {
                self.folders.push(text);
                self.below(root, &name)?;
            } else if metadata.is_file() && as_file {
                self.files.push((text, metadata.mode() & 0o777));
            } else {
                return Err(odd());
            }
        }
        Ok(())
    }

    /// Returns directories and files in sorted order, files with their hash.
    fn described(
        mut self,
        place: impl Fn(&str) -> PathBuf,
    ) -> Result<(Vec<String>, Vec<BackupFile>), BackupError> {
        self.folders.sort();
        self.files.sort();
        let files = self.files.into_iter().map(|(name, mode)| {
            let file = place(&name);
            describe(name, &file, mode)
        });
        Ok((self.folders, files.collect::<Result<_, _>>()?))
    }
}

fn describe(path: String, file: &Path, mode: u32) -> Result<BackupFile, BackupError> {
    let mut opened = File::open(file).map_err(BackupError::file("read", file))?;
    let bytes = opened.metadata().map_err(BackupError::file("read", file))?.len();
    let sha256 = copy_hashed(&mut opened, &mut io::sink())?;
    Ok(BackupFile { path, bytes, mode, sha256 })
}
