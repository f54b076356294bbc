//! The plan of a restore, shown before it is confirmed.

use std::path::PathBuf;

use palyra_journal::TreeHead;
use serde::Serialize;

use super::BackupError;

/// The effects of restoring a backup. Created by
/// [`StateRoot::stage_restore`](crate::StateRoot::stage_restore).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestorePlan {
    /// Creation time of the backup in Unix milliseconds.
    pub created_ms: u64,
    /// Version of Palyra that made the backup.
    pub palyra_version: String,
    /// Location of the device key of the backup.
    pub device_key: String,
    /// True if the key of its journal signed the manifest; a backup of an earlier version has no signature.
    pub signed: bool,
    /// Public key of the journal in the backup.
    pub key: String,
    /// Public key of the journal that would be replaced, if it can be read.
    pub present_key: Option<String>,
    /// Head of the journal in the backup.
    pub backup_head: TreeHead,
    /// Head of the journal that would be moved aside, if it can be read.
    pub present_head: Option<TreeHead>,
    /// True if a state root exists and would be moved aside.
    pub replaces: bool,
    /// Number of restored files.
    pub files: usize,
    /// Total length of the restored files in bytes.
    pub bytes: u64,
    /// Paths of the restored files; objects and tapes are only counted.
    pub contents: Vec<String>,
    /// Files in the backup that are not restored, because no backup of this version contains them.
    pub left_out: Vec<String>,
    /// Secrets, keys, packages and storage that the state refers to and the backup does not contain, one line each.
    pub missing: Vec<String>,
    /// Rows of runs and totals that differ from the receipts in the journal.
    pub altered: Vec<String>,
}

/// Risks of a restore that the user has accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RestoreAcceptance {
    /// Restore a backup without a signature.
    pub unsigned: bool,
    /// Restore a backup of another state root than the one that is replaced.
    pub other_key: bool,
}

impl RestorePlan {
    /// Returns an error for a risk that was not accepted.
    pub fn check(&self, accepted: &RestoreAcceptance) -> Result<(), BackupError> {
        if !self.signed && !accepted.unsigned {
            return Err(BackupError::Unsigned);
        }
        match &self.present_key {
            Some(present) if *present != self.key && !accepted.other_key => {
                Err(BackupError::OtherKey { found: self.key.clone(), present: present.clone() })
            }
            _ => Ok(()),
        }
    }
}

/// Result of a restore.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// The plan that was carried out.
    #[serde(flatten)]
    pub plan: RestorePlan,
    /// Path of the previous state root, if there was one.
    pub put_aside: Option<PathBuf>,
    /// Head of the journal, including the leaf that records the restore.
    pub head: TreeHead,
}
