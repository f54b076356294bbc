//! Notifications about the growth of the journal.

use super::pending::wait_for;
use crate::{JournalError, TreeHead};
use tokio::sync::watch;

/// The heads that the writer announces after each commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heads {
    pub(super) committed: TreeHead,
    pub(super) durable: TreeHead,
}

/// Follows the head of a journal. A slow follower skips heads but no events, because it reads by sequence.
#[derive(Debug, Clone)]
pub struct Follower {
    heads: watch::Receiver<Heads>,
}

impl Follower {
    pub(super) fn new(mut heads: watch::Receiver<Heads>) -> Self {
        heads.mark_unchanged();
        Self { heads }
    }

    /// Waits for the next head that this follower has not received. Fails with [`JournalError::Closed`] at the end.
    pub async fn next(&mut self) -> Result<TreeHead, JournalError> {
        self.heads.changed().await.map_err(|_| JournalError::Closed)?;
        Ok(self.heads.borrow_and_update().committed)
    }

    /// Like [`Follower::next`], but blocks the thread.
    pub fn wait_next(&mut self) -> Result<TreeHead, JournalError> {
        wait_for(self.next())
    }
}
