//! Making a copy: after a clean stop, while the lock is still held.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use palyra_skills::Sha256Digest;
use sha2::{Digest, Sha256};

use super::BackupError;
use super::manifest::{BackupFile, BackupManifest, MANIFEST};
use crate::state::State;

/// What is made again by itself, belongs to a process, or must not be in two places.
const LEFT_OUT: [&str; 5] = ["owner.lock", "owner.token", "run", "cache", "initialising"];

impl State {
    /// Stops cleanly and writes everything into one new file that only its owner reads.
    pub fn backup(self, to: &Path) -> Result<BackupManifest, BackupError> {
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o600).open(to).map_err(|error| match error
            .kind()
        {
            io::ErrorKind::AlreadyExists => BackupError::Exists(to.to_owned()),
            _ => BackupError::file("written", to)(error),
        })?;
        let written = self.write_backup(file, to);
        if written.is_err() {
            // Half a copy helps nobody.
            let _ = fs::remove_file(to);
        }
        written
    }

    fn write_backup(self, file: File, to: &Path) -> Result<BackupManifest, BackupError> {
        let (created_ms, device_key) = (self.now_ms(), self.vault().describe().name());
        // What is read after this changes no more, for the lock is held until the end.
        let checkpoint = self.stop_signed()?;
        let root = self.root().path();
        let (folders, files) = list(root, to)?;
        let manifest = BackupManifest::new(created_ms, device_key, &checkpoint, folders, files);
        let mut archive = tar::Builder::new(io::BufWriter::new(file));
        let bytes =
            serde_json::to_vec(&manifest).map_err(|error| BackupError::NotABackup(error.to_string()))?;
        append(&mut archive, MANIFEST, bytes.len() as u64, bytes.as_slice(), to)?;
        for entry in &manifest.files {
            let path = root.join(&entry.path);
            let from = File::open(&path).map_err(BackupError::file("read", &path))?;
            append(&mut archive, &entry.path, entry.bytes, from.take(entry.bytes), to)?;
        }
        let mut file = archive.into_inner().map_err(BackupError::file("written", to))?;
        file.flush().and_then(|()| file.get_ref().sync_all()).map_err(BackupError::file("written", to))?;
        Ok(manifest)
    }
}

fn append(
    archive: &mut tar::Builder<io::BufWriter<File>>,
    name: &str,
    bytes: u64,
    from: impl Read,
    to: &Path,
) -> Result<(), BackupError> {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o600);
    header.set_entry_type(tar::EntryType::Regular);
    archive.append_data(&mut header, name, from).map_err(BackupError::file("written", to))
}

/// Every folder and every file below the root in one order, files with their hash.
fn list(root: &Path, to: &Path) -> Result<(Vec<String>, Vec<BackupFile>), BackupError> {
    let (mut named, mut found) = (Vec::new(), Vec::new());
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(BackupError::file("read", &folder))?;
        for entry in entries {
            let path = entry.map_err(BackupError::file("read", &folder))?.path();
            let name = path.strip_prefix(root).ok().and_then(Path::to_str).map(str::to_owned);
            let name = name.ok_or_else(|| BackupError::OddEntry(path.clone()))?;
            if LEFT_OUT.contains(&name.as_str()) || name.ends_with("-shm") || same(&path, to) {
                continue;
            }
            let metadata = fs::symlink_metadata(&path).map_err(BackupError::file("read", &path))?;
            if metadata.is_dir() {
                named.push(name);
                folders.push(path);
            } else if metadata.is_file() {
                found.push((name, path, metadata.mode() & 0o777));
            } else {
                return Err(BackupError::OddEntry(path));
            }
        }
    }
    named.sort();
    found.sort();
    let files: Result<_, _> =
        found.into_iter().map(|(name, path, mode)| describe(name, &path, mode)).collect();
    Ok((named, files?))
}

/// A backup that is written into the state root itself does not hold itself.
fn same(path: &PathBuf, to: &Path) -> bool {
    fs::canonicalize(path).ok().zip(fs::canonicalize(to).ok()).is_some_and(|(one, other)| one == other)
}

fn describe(path: String, file: &Path, mode: u32) -> Result<BackupFile, BackupError> {
    let mut opened = File::open(file).map_err(BackupError::file("read", file))?;
    let (mut hash, mut bytes, mut buffer) = (Sha256::new(), 0, vec![0; 256 << 10]);
    loop {
        let read = opened.read(&mut buffer).map_err(BackupError::file("read", file))?;
        let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else { break };
        hash.update(part);
        bytes += read as u64;
    }
    Ok(BackupFile { path, bytes, mode, sha256: Sha256Digest::from_bytes(hash.finalize().into()) })
}
