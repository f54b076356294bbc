//! What a backup says about itself: the first thing in its file.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use palyra_journal::TreeHead;
use palyra_skills::Sha256Digest;
use serde::{Deserialize, Serialize};

use super::BackupError;

/// The name of the manifest in the archive.
pub const MANIFEST: &str = "palyra-backup.json";
/// Longest manifest that is read.
pub(super) const MAX_MANIFEST: u64 = 64 << 20;
const SCHEMA: &str = "palyra.backup/v1";
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
    /// When, in milliseconds of Unix time.
    pub created_ms: u64,
    /// Where the device key is kept: a keyring is not in the backup.
    pub device_key: String,
    /// The signed head of the journal: what is put back must reach it.
    pub checkpoint: String,
    /// The same head, unsigned.
    pub head: TreeHead,
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
        folders: Vec<String>,
        files: Vec<BackupFile>,
    ) -> Self {
        Self {
            schema: SCHEMA.into(),
            palyra_version: env!("CARGO_PKG_VERSION").into(),
            created_ms,
            device_key: device_key.into(),
            checkpoint: checkpoint.note().to_owned(),
            head: checkpoint.head(),
            folders,
            files,
        }
    }

    /// Reads a manifest; one with a path that leaves the root, or stands twice, is none.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, BackupError> {
        let bad = |reason: String| BackupError::NotABackup(reason);
        let manifest: Self =
            serde_json::from_slice(bytes).map_err(|error| bad(format!("its manifest: {error}")))?;
        if manifest.schema != SCHEMA {
            return Err(bad(format!("it is of another form than `{SCHEMA}`")));
        }
        if manifest.files.len() > MAX_FILES || manifest.folders.len() > MAX_FILES {
            return Err(bad("it has too many files".into()));
        }
        let mut seen = BTreeSet::new();
        let named = manifest.folders.iter().chain(manifest.files.iter().map(|file| &file.path));
        for path in named {
            if !is_below(path) || !seen.insert(path) {
                return Err(bad("it names a file that cannot be one of a state root".into()));
            }
        }
        Ok(manifest)
    }

    /// The bytes of all its files.
    pub fn total_bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.bytes))
    }
}

/// Whether a path stays below the root it is joined to.
fn is_below(path: &str) -> bool {
    let path = Path::new(path);
    let plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    plain
        && path.components().next().is_some()
        && path.to_str().is_some_and(|text| !text.contains("//") && !text.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::is_below;

    #[test]
    fn no_path_leaves_the_root() {
        for good in ["state.db", "vault/secrets/a", "objects/ab/cd"] {
            assert!(is_below(good), "{good}");
        }
        for bad in ["", "/etc/passwd", "../x", "a/../../x", "./a", "a//b", "a/"] {
            assert!(!is_below(bad), "{bad}");
        }
    }
}
