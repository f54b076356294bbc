//! Watching the journal grow.

use super::pending::wait_for;
use crate::{JournalError, TreeHead};
use tokio::sync::watch;

/// The heads the writer announces after each commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Heads {
    pub(super) committed: TreeHead,
    pub(super) durable: TreeHead,
}

/// Follows the head of a journal: slow followers skip heads, never events, since they read by sequence.
#[derive(Debug, Clone)]
pub struct Follower {
    heads: watch::Receiver<Heads>,
}

impl Follower {
    pub(super) fn new(mut heads: watch::Receiver<Heads>) -> Self {
        heads.mark_unchanged();
        Self { heads }
    }

    /// The next head after the last one this follower has seen; [`JournalError::Closed`] when there is none.
    pub async fn next(&mut self) -> Result<TreeHead, JournalError> {
        self.heads.changed().await.map_err(|_| JournalError::Closed)?;
        Ok(self.heads.borrow_and_update().committed)
    }

    /// Like [`Follower::next`], for threads.
    pub fn wait_next(&mut self) -> Result<TreeHead, JournalError> {
        wait_for(self.next())
    }
}
