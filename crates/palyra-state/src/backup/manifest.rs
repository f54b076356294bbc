//! What a backup says about itself: the first thing in its file.

use std::collections::BTreeSet;

use palyra_common::text::clip_untrusted;
use palyra_journal::{CheckpointKey, TreeHead};
use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};

use super::{BackupError, layout};

/// The name of the manifest in the archive.
pub const MANIFEST: &str = "palyra-backup.json";
/// The name of its signature: a note of the journal's key over the hash of the manifest.
pub(super) const SIGNATURE: &str = "palyra-backup.sig";
/// Longest manifest that is read.
pub(super) const MAX_MANIFEST: u64 = 64 << 20;
/// The form of a signed backup, and what its signature says it is about.
pub(super) const SIGNED: &str = "palyra.backup/v2";
/// The form that was written before backups were signed.
const UNSIGNED: &str = "palyra.backup/v1";
/// Most files of a backup.
const MAX_FILES: usize = 1_000_000;

/// What a backup says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupManifest {
    /// The form of this file.
    pub schema: String,
    /// The version that wrote it.
    pub palyra_version: String,
    /// Time in Unix milliseconds.
    pub created_ms: u64,
    /// Where the device key is kept: a keyring is not in the backup.
    pub device_key: String,
    /// The signed head of the journal: what is restored must reach it.
    pub checkpoint: String,
    /// The same head, unsigned.
    pub head: TreeHead,
    /// The key of the journal, which signed the manifest too; empty in an unsigned one.
    #[serde(default)]
    pub key: String,
    /// The folders, also those without a file.
    pub folders: Vec<String>,
    /// The files, in their order in the archive.
    pub files: Vec<BackupFile>,
}

/// One file of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BackupFile {
    /// Its path below the state root.
    pub path: String,
    /// Its length.
    pub bytes: u64,
    /// Its permission bits.
    pub mode: u32,
    /// The hash of its bytes.
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

    /// Reads a manifest; a path that no backup has, or that appears twice, is refused.
    ///
    /// An unsigned manifest may name other files, because earlier versions copied whatever was in the state root:
    /// [`Self::left_out`] lists them, and a restore leaves them out.
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

    /// Returns whether it has the form that comes with a signature.
    pub fn is_signed(&self) -> bool {
        self.schema == SIGNED
    }

    /// Returns the files that no backup of this version contains; a restore does not write them.
    pub(super) fn left_out(&self) -> impl Iterator<Item = &BackupFile> {
        self.files.iter().filter(|file| !layout::is_file(&file.path))
    }

    /// The bytes of all its files.
    pub fn total_bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }
}
