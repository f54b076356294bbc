//! The one file of a backup: its manifest first, then every file in the order of the manifest.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use palyra_skills::Sha256Digest;
use sha2::{Digest, Sha256};

use super::BackupError;
use super::manifest::{BackupFile, BackupManifest, MANIFEST, MAX_MANIFEST};

/// Read at once.
const CHUNK: usize = 256 << 10;

type Archive = tar::Archive<io::BufReader<File>>;
type Entry<'a> = tar::Entry<'a, io::BufReader<File>>;

/// Reads a whole backup and compares every file with its hash; changes nothing.
pub fn check_backup(file: &Path) -> Result<BackupManifest, BackupError> {
    walk(file, |_, entry| copy_hashed(entry, &mut io::sink()))
}

/// The manifest of a backup, and the archive from its start.
pub(super) fn open(file: &Path) -> Result<(BackupManifest, Archive), BackupError> {
    let opened = File::open(file).map_err(BackupError::file("read", file))?;
    let mut archive = tar::Archive::new(io::BufReader::new(opened));
    let bad = |reason: &str| BackupError::NotABackup(reason.to_owned());
    let mut entries = archive.entries().map_err(|_| bad("it is no archive"))?;
    let mut first = entries.next().and_then(Result::ok).ok_or_else(|| bad("it is no archive"))?;
    if first.path().ok().as_deref() != Some(Path::new(MANIFEST)) || first.size() > MAX_MANIFEST {
        return Err(bad("it has no manifest"));
    }
    let mut bytes = Vec::new();
    first.read_to_end(&mut bytes).map_err(|_| bad("its manifest is cut off"))?;
    let manifest = BackupManifest::read(&bytes)?;
    drop(first);
    // Read again from the start: a stream of entries cannot be handed on.
    let opened = File::open(file).map_err(BackupError::file("read", file))?;
    Ok((manifest, tar::Archive::new(io::BufReader::new(opened))))
}

/// Gives every file of the manifest, and nothing else, to whoever takes it and says what its hash was.
pub(super) fn walk(
    file: &Path,
    mut take: impl FnMut(&BackupFile, &mut Entry<'_>) -> Result<Sha256Digest, BackupError>,
) -> Result<BackupManifest, BackupError> {
    let (manifest, mut archive) = open(file)?;
    let bad = |reason: String| BackupError::NotABackup(reason);
    let entries = archive.entries().map_err(|error| bad(error.to_string()))?;
    let mut expected = manifest.files.iter();
    for entry in entries.skip(1) {
        let mut entry = entry.map_err(|error| bad(error.to_string()))?;
        let wanted = expected.next().ok_or_else(|| bad("it has more files than its manifest".into()))?;
        let named = entry.path().ok().is_some_and(|path| path == Path::new(&wanted.path));
        if !named || entry.header().entry_type() != tar::EntryType::Regular || entry.size() != wanted.bytes {
            return Err(bad(format!("`{}` is not where its manifest says", wanted.path)));
        }
        if take(wanted, &mut entry)? != wanted.sha256 {
            return Err(bad(format!("`{}` has other bytes than when it was copied", wanted.path)));
        }
    }
    match expected.next() {
        Some(missing) => Err(bad(format!("`{}` is missing", missing.path))),
        None => Ok(manifest),
    }
}

/// Copies a file of an archive and says what its hash is.
pub(super) fn copy_hashed(from: &mut impl Read, to: &mut impl Write) -> Result<Sha256Digest, BackupError> {
    let (mut hash, mut buffer) = (Sha256::new(), vec![0; CHUNK]);
    loop {
        let read = from.read(&mut buffer).map_err(|error| BackupError::NotABackup(error.to_string()))?;
        let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else { break };
        hash.update(part);
        to.write_all(part).map_err(|error| BackupError::NotABackup(error.to_string()))?;
    }
    Ok(Sha256Digest::from_bytes(hash.finalize().into()))
}

/// Writes a backup of files that nobody changes meanwhile; `place` says where each is.
pub(super) fn write(
    manifest: &BackupManifest,
    place: impl Fn(&str) -> PathBuf,
    to: &mut impl Write,
) -> Result<(), BackupError> {
    let mut archive = tar::Builder::new(io::BufWriter::new(to));
    let bytes = serde_json::to_vec(manifest).map_err(|error| BackupError::NotABackup(error.to_string()))?;
    append(&mut archive, MANIFEST, bytes.len() as u64, bytes.as_slice())?;
    for entry in &manifest.files {
        let path = place(&entry.path);
        let from = File::open(&path).map_err(BackupError::file("read", &path))?;
        append(&mut archive, &entry.path, entry.bytes, from.take(entry.bytes))?;
    }
    let mut to = archive.into_inner().map_err(BackupError::Write)?;
    to.flush().map_err(BackupError::Write)
}

fn append(
    archive: &mut tar::Builder<impl Write>,
    name: &str,
    bytes: u64,
    from: impl Read,
) -> Result<(), BackupError> {
    let mut header = tar::Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o600);
    header.set_entry_type(tar::EntryType::Regular);
    archive.append_data(&mut header, name, from).map_err(BackupError::Write)
}
