//! One transaction of the writer: the owner's rows and the leaves that tell of them.

use super::blocks::OpenBlock;
use super::rows::{self, EventInsert};
use super::writer::Checkpoints;
use crate::event::{Encoded, RedactText};
use crate::tree::TreeTail;
use crate::{Checkpoint, JournalError, NewEvent, TreeHash, TreeHead};
use rusqlite::{Connection, Transaction};

/// What a commit survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Durability {
    /// A killed process; a power failure may take the last commits back, in order, never in part.
    #[default]
    Normal,
    /// A power failure as well: the log is synced before the answer.
    Full,
}

/// A committed event: where it stands in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Leaf {
    /// Its place, counted from zero.
    pub sequence: u64,
    /// The hash of its leaf.
    pub hash: TreeHash,
}

/// An event in the form it is journalled in, made off the writer's thread by
/// [`JournalStore::prepare`](crate::JournalStore::prepare).
#[derive(Debug)]
pub struct PreparedEvent(pub(super) Encoded);

/// The inside of [`JournalStore::transaction`](crate::JournalStore::transaction).
pub struct JournalTransaction<'a> {
    pub(super) sql: Transaction<'a>,
    pub(super) tail: &'a mut TreeTail,
    pub(super) open_block: &'a mut OpenBlock,
    pub(super) checkpoints: &'a mut Checkpoints,
    pub(super) redactor: &'a dyn RedactText,
    /// Set when a leaf was half written: such a transaction is never committed.
    pub(super) broken: bool,
    /// Runs after the commit and before the new head is announced.
    pub(super) publish: Vec<Publish>,
}

/// What makes a committed change visible in memory.
pub(super) type Publish = Box<dyn FnOnce() + Send>;

impl<'a> JournalTransaction<'a> {
    /// The database inside this transaction, for the owner's own tables.
    pub fn sql(&self) -> &Transaction<'a> {
        &self.sql
    }

    /// Appends an event; it counts when the transaction is committed.
    pub fn append(&mut self, event: NewEvent) -> Result<Leaf, JournalError> {
        let encoded = Encoded::new(event, self.redactor)?;
        self.append_prepared(&PreparedEvent(encoded))
    }

    /// Appends an event that has its form already.
    pub fn append_prepared(&mut self, event: &PreparedEvent) -> Result<Leaf, JournalError> {
        let mut leaf = None;
        self.append_encoded(std::iter::once(&event.0), |appended| leaf = Some(appended))?;
        leaf.ok_or(JournalError::TransactionBroken)
    }

    /// The head over everything committed and everything appended in here.
    pub fn head(&self) -> TreeHead {
        self.tail.head()
    }

    /// Signs the head as it is in here and keeps the checkpoint with the transaction.
    pub fn checkpoint(&mut self) -> Result<Checkpoint, JournalError> {
        let checkpoint = self.checkpoints.signer.sign(self.head());
        rows::insert_checkpoint(&self.sql, checkpoint.head().size, checkpoint.note())
            .inspect_err(|_| self.broken = true)?;
        self.checkpoints.last_size = checkpoint.head().size;
        Ok(checkpoint)
    }

    /// Runs `publish` once the transaction is committed, before followers or queries can see its events.
    ///
    /// For memory that mirrors the rows written here: a reader of an event finds its change there. It runs on the
    /// writer's thread, so it must not wait for the journal.
    pub fn before_announcement(&mut self, publish: impl FnOnce() + Send + 'static) {
        self.publish.push(Box::new(publish));
    }

    /// Appends events that have their form already.
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
