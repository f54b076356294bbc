//! The backup file: the manifest first, then every file in the order of the manifest.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use palyra_journal::{CheckpointKey, CheckpointSigner, MAX_NOTE_BYTES};
use palyra_skills::Sha256Digest;
use sha2::{Digest, Sha256};

use super::BackupError;
use super::manifest::{BackupFile, BackupManifest, MANIFEST, MAX_MANIFEST, SIGNATURE, SIGNED};
use super::write::point;

/// Size of the copy buffer in bytes.
const CHUNK: usize = 256 << 10;

type Entry<'a> = tar::Entry<'a, io::BufReader<File>>;

/// A backup that was read to its end, every file matching its hash.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) manifest: BackupManifest,
    /// SHA-256 of the manifest, which the signature covers.
    digest: Sha256Digest,
    /// The signed note; `None` for a backup of the unsigned format.
    signature: Option<String>,
}

impl Contents {
    /// Checks that this key signed the manifest.
    pub(super) fn check_signature(&self, key: &CheckpointKey) -> Result<(), BackupError> {
        let note = self.signature.as_deref().ok_or(BackupError::Unsigned)?;
        key.check_statement(SIGNED, &self.digest.to_string(), note)
            .map_err(|error| BackupError::Damaged(format!("the signature of its manifest: {error}")))
    }
}

/// Reads a whole backup, compares every file with its hash and checks the signature. Changes nothing.
///
/// The signature is checked against the key in the manifest; only a restore compares that key with the
/// journal in the backup.
pub fn check_backup(file: &Path) -> Result<BackupManifest, BackupError> {
    let contents = read(file, |_, entry| copy_hashed(entry, &mut io::sink()))?;
    if contents.manifest.is_signed() {
        let key = CheckpointKey::parse(&contents.manifest.key);
        contents.check_signature(&key.map_err(|error| BackupError::NotABackup(error.to_string()))?)?;
    }
    Ok(contents.manifest)
}

/// Reads a backup once, from start to end. `take` gets every file of the manifest, and nothing else, and
/// returns the hash of the bytes it read.
pub(super) fn read(
    file: &Path,
    mut take: impl FnMut(&BackupFile, &mut Entry<'_>) -> Result<Sha256Digest, BackupError>,
) -> Result<Contents, BackupError> {
    let opened = File::open(file).map_err(BackupError::file("read", file))?;
    let mut archive = tar::Archive::new(io::BufReader::new(opened));
    let bad = |reason: String| BackupError::NotABackup(reason);
    let mut entries = archive.entries().map_err(|_| bad("it is not an archive".into()))?;
    let mut next = || entries.next().transpose().map_err(|error| bad(error.to_string()));
    let first = next().map_err(|_| bad("it is not an archive".into()))?;
    let bytes = small_file(first, MANIFEST, MAX_MANIFEST)?;
    let (manifest, digest) = (BackupManifest::read(&bytes)?, Sha256Digest::of(&bytes));
    let signature = if manifest.is_signed() {
        let note = small_file(next()?, SIGNATURE, MAX_NOTE_BYTES as u64)?;
        Some(String::from_utf8(note).map_err(|_| bad("its signature is not text".into()))?)
    } else {
        None
    };
    let mut expected = manifest.files.iter();
    while let Some(mut entry) = next()? {
        let wanted =
            expected.next().ok_or_else(|| bad("it has more files than its manifest lists".into()))?;
        let named = entry.path().ok().is_some_and(|path| path == Path::new(&wanted.path));
        if !named || entry.header().entry_type() != tar::EntryType::Regular || entry.size() != wanted.bytes {
            return Err(bad(format!("`{}` is not at the position its manifest says", wanted.path)));
        }
        if take(wanted, &mut entry)? != wanted.sha256 {
            return Err(bad(format!("the content of `{}` differs from its manifest", wanted.path)));
        }
    }
    match expected.next() {
        Some(missing) => Err(bad(format!("`{}` is missing", missing.path))),
        None => Ok(Contents { manifest, digest, signature }),
    }
}

/// Reads an entry with this name into memory, if it has at most `limit` bytes.
fn small_file(entry: Option<Entry<'_>>, name: &str, limit: u64) -> Result<Vec<u8>, BackupError> {
    let bad = |reason: &str| BackupError::NotABackup(format!("`{name}` {reason}"));
    let named = |entry: &Entry<'_>| entry.path().ok().as_deref() == Some(Path::new(name));
    let mut entry = entry.filter(named).ok_or_else(|| bad("is missing"))?;
    if entry.size() > limit {
        return Err(BackupError::NotABackup(format!(
            "`{name}` has {} bytes, more than {limit}",
            entry.size()
        )));
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes).map_err(|_| bad("is truncated"))?;
    Ok(bytes)
}

/// Copies a file of an archive and returns its SHA-256.
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

/// Writes a backup; `place` returns the path of each file, and none of them may change until this returns.
pub(super) fn write(
    manifest: &BackupManifest,
    signer: &CheckpointSigner,
    place: impl Fn(&str) -> PathBuf,
    to: &mut impl Write,
) -> Result<(), BackupError> {
    let mut archive = tar::Builder::new(io::BufWriter::new(to));
    let bytes = serde_json::to_vec(manifest).map_err(|error| BackupError::NotABackup(error.to_string()))?;
    let signature = signer.sign_statement(SIGNED, &Sha256Digest::of(&bytes).to_string());
    append(&mut archive, MANIFEST, bytes.len() as u64, bytes.as_slice())?;
    append(&mut archive, SIGNATURE, signature.len() as u64, signature.as_bytes())?;
    for entry in &manifest.files {
        let path = place(&entry.path);
        point("backup: file")?;
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
