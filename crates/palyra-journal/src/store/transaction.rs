//! Transactions of the writer: the owner's rows together with the leaves that record them.

use super::blocks::OpenBlock;
use super::rows::{self, EventInsert};
use super::writer::Checkpoints;
use crate::event::Encoded;
use crate::tree::TreeTail;
use crate::{Checkpoint, JournalError, NewEvent, TreeHash, TreeHead};
use rusqlite::{Connection, Transaction};

/// The failures that a commit survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// A killed process. A power failure can undo the last commits, in order and as a whole.
    #[default]
    Normal,
    /// A power failure as well: the log is synced before the result is available.
    Full,
}

/// A committed event, with its position in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Leaf {
    /// The position, counted from 0.
    pub sequence: u64,
    /// The hash of the leaf.
    pub hash: TreeHash,
}

/// An encoded event, created outside of the writer's thread by
/// [`JournalStore::prepare`](crate::JournalStore::prepare).
#[derive(Debug)]
pub struct PreparedEvent(pub(super) Encoded);

/// A transaction of [`JournalStore::transaction`](crate::JournalStore::transaction).
pub struct JournalTransaction<'a> {
    pub(super) sql: Transaction<'a>,
    pub(super) tail: &'a mut TreeTail,
    pub(super) open_block: &'a mut OpenBlock,
    pub(super) checkpoints: &'a mut Checkpoints,
    /// Set if a leaf was written partially. Such a transaction is never committed.
    pub(super) broken: bool,
    /// Functions to run after the commit, before the new head is announced.
    pub(super) publish: Vec<Publish>,
}

/// A function that makes a committed change visible in memory.
pub(super) type Publish = Box<dyn FnOnce() + Send>;

impl<'a> JournalTransaction<'a> {
    /// Returns the SQL transaction, for the owner's own tables.
    pub fn sql(&self) -> &Transaction<'a> {
        &self.sql
    }

    /// Appends an event. It takes effect when the transaction is committed.
    pub fn append(&mut self, event: NewEvent) -> Result<Leaf, JournalError> {
        let encoded = Encoded::new(event)?;
        self.append_prepared(&PreparedEvent(encoded))
    }

    /// Appends an encoded event.
    pub fn append_prepared(&mut self, event: &PreparedEvent) -> Result<Leaf, JournalError> {
        let mut leaf = None;
        self.append_encoded(std::iter::once(&event.0), |appended| leaf = Some(appended))?;
        leaf.ok_or(JournalError::TransactionBroken)
    }

    /// Returns the head over all committed events and those appended in this transaction.
    pub fn head(&self) -> TreeHead {
        self.tail.head()
    }

    /// Signs the head of this transaction and stores the checkpoint with it.
    pub fn checkpoint(&mut self) -> Result<Checkpoint, JournalError> {
        let checkpoint = self.checkpoints.signer.sign(self.head());
        rows::insert_checkpoint(&self.sql, checkpoint.head().size, checkpoint.note())
            .inspect_err(|_| self.broken = true)?;
        self.checkpoints.last_size = checkpoint.head().size;
        Ok(checkpoint)
    }

    /// Runs `publish` after the commit, before followers or queries see its events.
    ///
    /// For memory that mirrors the rows of this transaction, so that a reader of an event finds its change there. It
    /// runs on the writer's thread and must not wait for the journal.
    pub fn before_announcement(&mut self, publish: impl FnOnce() + Send + 'static) {
        self.publish.push(Box::new(publish));
    }

    /// Appends encoded events and calls `appended` with each leaf.
    pub(super) fn append_encoded<'e>(
        &mut self,
        events: impl Iterator<Item = &'e Encoded>,
        mut appended: impl FnMut(Leaf),
    ) -> Result<(), JournalError> {
        let Self { sql, tail, open_block, .. } = self;
        append_leaves(sql, tail, open_block, events, &mut appended).inspect_err(|_| self.broken = true)
    }

    pub(super) fn commit(self) -> Result<(TreeHead, Vec<Publish>), JournalError> {
        if self.broken {
            return Err(JournalError::TransactionBroken);
        }
        let head = self.tail.head();
        rows::write_head(&self.sql, &head)?;
        crate::fault::point("commit")?;
        self.sql.commit().map_err(JournalError::sqlite("commit"))?;
        Ok((head, self.publish))
    }
}

fn append_leaves<'e>(
    sql: &Connection,
    tail: &mut TreeTail,
    open_block: &mut OpenBlock,
    events: impl Iterator<Item = &'e Encoded>,
    appended: &mut dyn FnMut(Leaf),
) -> Result<(), JournalError> {
    let mut insert = EventInsert::prepare(sql)?;
    for event in events {
        let sequence = tail.size();
        insert.run(sequence, event)?;
        let mut written = Ok(());
        tail.push(event.hash, |tile| {
            if written.is_ok() {
                written = rows::insert_tile(sql, &tile);
            }
        });
        written?;
        open_block.add(sql, sequence, event)?;
        appended(Leaf { sequence, hash: event.hash });
    }
    Ok(())
}

impl std::fmt::Debug for JournalTransaction<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JournalTransaction").field("head", &self.head()).finish_non_exhaustive()
    }
}
