//! The manifest of a backup: the first entry in its file.

use std::collections::BTreeSet;

use palyra_common::text::clip_untrusted;
use palyra_journal::{CheckpointKey, TreeHead};
use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};

use super::{BackupError, layout};

/// Name of the manifest in the archive.
pub const MANIFEST: &str = "palyra-backup.json";
/// Name of its signature: a note of the journal's key over the hash of the manifest.
pub(super) const SIGNATURE: &str = "palyra-backup.sig";
/// Maximum size of a manifest in bytes.
pub(super) const MAX_MANIFEST: u64 = 64 << 20;
/// Format of a signed backup, and the statement that its signature is about.
pub(super) const SIGNED: &str = "palyra.backup/v2";
/// Format before backups were signed.
const UNSIGNED: &str = "palyra.backup/v1";
/// Maximum number of files, and of directories, in a backup.
const MAX_FILES: usize = 1_000_000;

/// Describes a backup and lists its files. Created by [`State::backup`](crate::State::backup).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupManifest {
    /// Format of the backup: `palyra.backup/v2`, or `palyra.backup/v1` without a signature.
    pub schema: String,
    /// Version of Palyra that wrote it.
    pub palyra_version: String,
    /// Creation time in Unix milliseconds.
    pub created_ms: u64,
    /// Location of the device key; a key in the keyring of the system is not in the backup.
    pub device_key: String,
    /// Signed head of the journal; a restored journal must reach it.
    pub checkpoint: String,
    /// The head in `checkpoint`, parsed.
    pub head: TreeHead,
    /// Public key of the journal, which also signed the manifest; empty in the unsigned format.
    #[serde(default)]
    pub key: String,
    /// Directories below the state root, including empty ones.
    pub folders: Vec<String>,
    /// Files in their order in the archive.
    pub files: Vec<BackupFile>,
}

/// One file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupFile {
    /// Path below the state root.
    pub path: String,
    /// Length in bytes.
    pub bytes: u64,
    /// Unix permission bits.
    pub mode: u32,
    /// SHA-256 of the content.
    pub sha256: Sha256Digest,
}

impl BackupManifest {
    pub(super) fn new(
        created_ms: u64,
        device_key: &str,
        checkpoint: &palyra_journal::Checkpoint,
        key: &CheckpointKey,
        folders: Vec<String>,
        files: Vec<BackupFile>,
    ) -> Self {
        Self {
            schema: SIGNED.into(),
            palyra_version: env!("CARGO_PKG_VERSION").into(),
            created_ms,
            device_key: device_key.into(),
            checkpoint: checkpoint.note().to_owned(),
            head: checkpoint.head(),
            key: key.to_string(),
            folders,
            files,
        }
    }

    /// Parses a manifest; rejects paths that a backup never contains, and duplicates.
    ///
    /// An unsigned manifest may contain other paths, because earlier versions copied the whole state root:
    /// [`Self::left_out`] lists them, and a restore skips them.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, BackupError> {
        let bad = |reason: String| BackupError::NotABackup(reason);
        let manifest: Self =
            serde_json::from_slice(bytes).map_err(|error| bad(format!("its manifest: {error}")))?;
        if manifest.schema != SIGNED && manifest.schema != UNSIGNED {
            return Err(bad(format!("its format is neither `{SIGNED}` nor `{UNSIGNED}`")));
        }
        if manifest.files.len() > MAX_FILES || manifest.folders.len() > MAX_FILES {
            return Err(bad(format!("it has more than {MAX_FILES} files")));
        }
        let mut seen = BTreeSet::new();
        let files = manifest.files.iter().map(|file| (&file.path, layout::is_file(&file.path)));
        let folders = manifest.folders.iter().map(|folder| (folder, layout::is_folder(folder)));
        for (path, known) in folders.chain(files) {
            let path_text = || clip_untrusted(path, 200);
            if !known && manifest.is_signed() {
                return Err(bad(format!("`{}` does not belong in a backup", path_text())));
            }
            if !seen.insert(path) {
                return Err(bad(format!("duplicate entry `{}`", path_text())));
            }
        }
        Ok(manifest)
    }

    /// Returns whether the backup has the signed format.
    pub fn is_signed(&self) -> bool {
        self.schema == SIGNED
    }

    /// Returns the files that a backup of this version never contains; a restore skips them.
    pub(super) fn left_out(&self) -> impl Iterator<Item = &BackupFile> {
        self.files.iter().filter(|file| !layout::is_file(&file.path))
    }

    /// Returns the total length of all files in bytes.
    pub fn total_bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::archive;
    use super::*;

    #[test]
    fn manifest_over_its_limits_is_refused() {
        let manifest = BackupManifest {
            schema: UNSIGNED.into(),
            palyra_version: "0.1.0".into(),
            created_ms: 1,
            device_key: "file".into(),
            checkpoint: String::new(),
            head: TreeHead::empty(),
            key: String::new(),
            folders: vec!["a".into(); MAX_FILES + 1],
            files: Vec::new(),
        };
        let refused = BackupManifest::read(&serde_json::to_vec(&manifest).unwrap()).unwrap_err();
        assert!(refused.to_string().contains("more than 1000000 files"), "{refused}");
        // The header alone declares the length; no content follows, and none is read.
        let mut header = tar::Header::new_gnu();
        header.set_path(MANIFEST).unwrap();
        header.set_size(MAX_MANIFEST + 1);
        header.set_cksum();
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), header.as_bytes()).unwrap();
        let read = archive::read(file.path(), |_, _| unreachable!("it has no files"));
        let refused = read.err().unwrap();
        assert!(refused.to_string().contains("has 67108865 bytes, more than 67108864"), "{refused}");
    }
}
