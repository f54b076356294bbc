//! The options for opening a journal.

use crate::{CheckpointKey, CheckpointSigner, JournalError, TreeHead};
use std::fmt;
use std::sync::Arc;

/// Checks before each transaction whether the owner may still write.
pub type CommitGuard = Box<dyn Fn() -> Result<(), JournalError> + Send + Sync>;

/// A change of the owner's tables. Applied once, and recorded with its name and text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migration {
    /// The name, unique among the owner's migrations.
    pub name: &'static str,
    /// The SQL statements. They must not change after a release.
    pub sql: &'static str,
}

/// The options for opening a journal.
pub struct JournalOptions {
    /// Signs checkpoints. Its public key verifies those in the database.
    pub signer: CheckpointSigner,
    /// Public keys of earlier signers, whose checkpoints are still in the database.
    pub earlier_keys: Vec<CheckpointKey>,
    /// The head stored in the vault, which the journal must contain.
    pub anchored_head: Option<TreeHead>,
    /// The migrations of the owner's tables, oldest first.
    pub migrations: Vec<Migration>,
    /// Number of events after which a checkpoint is signed.
    pub checkpoint_every: u64,
    /// Maximum number of requests in one commit.
    pub max_group: usize,
}

impl JournalOptions {
    /// A checkpoint every 1,000 events, groups of at most 1,024, no anchor, and no tables of the owner.
    pub fn new(signer: CheckpointSigner) -> Self {
        Self {
            signer,
            earlier_keys: Vec::new(),
            anchored_head: None,
            migrations: Vec::new(),
            checkpoint_every: 1_000,
            max_group: 1_024,
        }
    }

    /// Returns the keys that may have signed stored checkpoints, the current one first.
    pub(super) fn keys(&self) -> Arc<[CheckpointKey]> {
        std::iter::once(self.signer.key()).chain(&self.earlier_keys).cloned().collect()
    }
}

impl fmt::Debug for JournalOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JournalOptions")
            .field("signer", &self.signer)
            .field("anchored_head", &self.anchored_head)
            .field("checkpoint_every", &self.checkpoint_every)
            .finish_non_exhaustive()
    }
}
