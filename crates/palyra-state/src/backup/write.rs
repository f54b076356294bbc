//! Making a copy, while the state is in use.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use palyra_skills::Sha256Digest;

use super::BackupError;
use super::archive::{self, copy_hashed};
use super::manifest::{BackupFile, BackupManifest};
use super::mirror::{IN_PLACE, Mirror};
use crate::state::State;

impl State {
    /// Writes everything, as it is at one moment, into a file; blocks the calling thread, and calls go on.
    ///
    /// The journal in it ends with a leaf that tells of the copy and a signed checkpoint.
    pub fn backup(&self, to: &mut File, principal: &str) -> Result<BackupManifest, BackupError> {
        let _under_way = UnderWay::begin(&self.backing_up)?;
        let (created_ms, device_key) = (self.now_ms(), self.vault().describe().name());
        let mirror = Mirror::make(self, principal)?;
        let root = self.root().path();
        let mut found = Found::default();
        found.below(mirror.folder(), Path::new(""), &|_| true)?;
        for folder in IN_PLACE.into_iter().filter(|folder| root.join(folder).exists()) {
            found.folders.push(folder.to_owned());
            // What is still being written has another name.
            found.below(root, Path::new(folder), &|name| name.parse::<Sha256Digest>().is_ok())?;
        }
        let (folders, files) = found.described(|name| place(&mirror, root, name))?;
        let manifest = BackupManifest::new(created_ms, device_key, &mirror.checkpoint, folders, files);
        archive::write(&manifest, |name| place(&mirror, root, name), to)?;
        Ok(manifest)
    }
}

/// Where a file of the copy is read.
fn place(mirror: &Mirror, root: &Path, name: &str) -> PathBuf {
    let in_place = IN_PLACE.iter().any(|folder| Path::new(name).starts_with(folder));
    if in_place { root.join(name) } else { mirror.folder().join(name) }
}

/// One backup at a time.
struct UnderWay<'a>(&'a AtomicBool);

impl<'a> UnderWay<'a> {
    fn begin(flag: &'a AtomicBool) -> Result<Self, BackupError> {
        match flag.swap(true, Ordering::SeqCst) {
            true => Err(BackupError::UnderWay),
            false => Ok(Self(flag)),
        }
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

/// Folders and files by their names below the root, files with their permission bits.
#[derive(Default)]
struct Found {
    folders: Vec<String>,
    files: Vec<(String, u32)>,
}

impl Found {
    fn below(&mut self, root: &Path, folder: &Path, keep: &dyn Fn(&str) -> bool) -> Result<(), BackupError> {
        let read = root.join(folder);
        for entry in fs::read_dir(&read).map_err(BackupError::file("read", &read))? {
            let entry = entry.map_err(BackupError::file("read", &read))?;
            let (path, name) = (entry.path(), folder.join(entry.file_name()));
            let odd = || BackupError::OddEntry(path.clone());
            let text = name.to_str().ok_or_else(odd)?.to_owned();
            let last = entry.file_name();
            let metadata = match fs::symlink_metadata(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                found => found.map_err(BackupError::file("read", &path))?,
            };
            if metadata.is_dir() {
                self.folders.push(text);
                self.below(root, &name, keep)?;
            } else if last.to_str().is_some_and(keep) {
                match metadata.is_file() {
                    true => self.files.push((text, metadata.mode() & 0o777)),
                    false => return Err(odd()),
                }
            }
        }
        Ok(())
    }

    /// All of it in one order, files with their hash.
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
