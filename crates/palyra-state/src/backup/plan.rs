//! What a restore would do, as a person is shown it.

use std::path::PathBuf;

use palyra_journal::TreeHead;
use serde::Serialize;

use super::BackupError;

/// What putting a backup back would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RestorePlan {
    /// Time of the backup, in Unix milliseconds.
    pub created_ms: u64,
    /// The version that made it.
    pub palyra_version: String,
    /// Location of its device key.
    pub device_key: String,
    /// Whether the key of its journal signed the list of its files; a backup of an earlier version has no signature.
    pub signed: bool,
    /// The key of its journal.
    pub key: String,
    /// The key of the journal that would be replaced, where that can be read.
    pub present_key: Option<String>,
    /// The head of its journal.
    pub backup_head: TreeHead,
    /// The head of the journal that would be moved aside, where there is one that can be read.
    pub present_head: Option<TreeHead>,
    /// Whether there is a state root that would be moved aside.
    pub replaces: bool,
    /// How many files are restored.
    pub files: usize,
    /// How many bytes they have.
    pub bytes: u64,
    /// The paths of these files.
    pub contents: Vec<String>,
    /// Files in the backup that are not restored, because no backup of this version contains them.
    pub left_out: Vec<String>,
    /// What the state in the backup names and the backup does not have.
    pub missing: Vec<String>,
    /// Rows of runs and totals that differ from the receipts in the journal.
    pub altered: Vec<String>,
}

/// What a person has agreed to beforehand.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RestoreAcceptance {
    /// A backup without a signature.
    pub unsigned: bool,
    /// A backup of another state root than the one that is replaced.
    pub other_key: bool,
}

impl RestorePlan {
    /// Refuses what needs an agreement that was not given.
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

/// The restored items.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// The plan.
    #[serde(flatten)]
    pub plan: RestorePlan,
    /// The path of the previous state root.
    pub put_aside: Option<PathBuf>,
    /// The head of the journal with the leaf that tells of this.
    pub head: TreeHead,
}
