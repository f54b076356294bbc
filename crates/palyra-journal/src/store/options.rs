//! What an owner decides when it opens the journal.

use crate::event::{KeepText, RedactText};
use crate::{CheckpointKey, CheckpointSigner, JournalError, TreeHead};
use std::fmt;
use std::sync::Arc;

/// Says before each transaction whether the owner may still write.
pub type CommitGuard = Box<dyn Fn() -> Result<(), JournalError> + Send + Sync>;

/// A change of the owner's tables, applied once and remembered by name and text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Migration {
    /// Its name; unique among the owner's.
    pub name: &'static str,
    /// The statements.
    pub sql: &'static str,
}

/// How a journal is opened.
pub struct JournalOptions {
    /// Signs checkpoints, and with its public half those in the database are checked.
    pub signer: CheckpointSigner,
    /// Public keys of earlier signers whose checkpoints are still in the database.
    pub earlier_keys: Vec<CheckpointKey>,
    /// The head kept in the vault; the journal must contain it.
    pub anchored_head: Option<TreeHead>,
    /// The owner's tables, in the order in which they came to be.
    pub migrations: Vec<Migration>,
    /// A checkpoint is signed after so many events.
    pub checkpoint_every: u64,
    /// Most events that are committed together.
    pub max_group: usize,
    /// Takes secrets out of events before they are encoded.
    pub redactor: Arc<dyn RedactText>,
}

impl JournalOptions {
    /// A checkpoint every 1,000 events, groups of at most 1,024, no anchor, no tables of the owner, and no
    /// redaction.
    pub fn new(signer: CheckpointSigner) -> Self {
        Self {
            signer,
            earlier_keys: Vec::new(),
            anchored_head: None,
            migrations: Vec::new(),
            checkpoint_every: 1_000,
            max_group: 1_024,
            redactor: Arc::new(KeepText),
        }
    }

    /// The keys that stored checkpoints may be signed with, the present one first.
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
