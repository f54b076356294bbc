//! The single writer: takes requests in order and commits them in groups if they can share a commit.

use super::blocks::OpenBlock;
use super::folding::LogFolding;
use super::follow::Heads;
use super::group::{self, Member};
use super::options::CommitGuard;
use super::pending::Reply;
use super::transaction::{Durability, JournalTransaction};
use crate::tree::TreeTail;
use crate::{Checkpoint, CheckpointSigner, JournalError};
use rusqlite::{Connection, TransactionBehavior};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;

/// A request to the writer.
#[allow(
    clippy::large_enum_variant,
    reason = "nearly all are of the larger kind, and a box for each would cost more"
)]
pub(super) enum Request {
    Join(Member),
    Work(Box<dyn FnOnce(&mut Writer) + Send>),
    Stop(Option<Reply<Result<Checkpoint, JournalError>>>),
}

/// The signer of checkpoints, and the position of the last one.
pub(super) struct Checkpoints {
    pub(super) signer: CheckpointSigner,
    pub(super) every: u64,
    pub(super) last_size: u64,
}

/// The state of the writer thread.
pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) folding: LogFolding,
    pub(super) tail: TreeTail,
    pub(super) open_block: OpenBlock,
    pub(super) checkpoints: Checkpoints,
    pub(super) heads: watch::Sender<Heads>,
    pub(super) queued: Arc<AtomicUsize>,
    pub(super) waiting: Arc<AtomicUsize>,
    pub(super) max_group: usize,
    /// The size when the journal was opened. If nothing was appended, dropping the writer writes no checkpoint.
    pub(super) opened_size: u64,
    /// Called before every transaction.
    pub(super) guard: Arc<OnceLock<CommitGuard>>,
    /// The durability that SQLite is set to. It cannot be changed inside of a transaction.
    pub(super) durability: Option<Durability>,
}

impl Writer {
    /// Serves requests until it is stopped or all senders are dropped.
    pub(super) fn run(mut self, requests: &Receiver<Request>) {
        let mut group: Vec<Member> = Vec::new();
        loop {
            let Ok(mut request) = requests.recv() else { return };
            let mut taken = 1;
            // Queued requests that can share a commit go into the same group.
            let other = loop {
                match request {
                    Request::Join(member) => group.push(member),
                    other => break Some(other),
                }
                if group.len() >= self.max_group {
                    break None;
                }
                request = match requests.try_recv() {
                    Ok(request) => {
                        taken += 1;
                        request
                    }
                    Err(TryRecvError::Empty | TryRecvError::Disconnected) => break None,
                };
            };
            self.waiting.fetch_sub(taken, Ordering::Relaxed);
            self.commit_group(&mut group);
            match other {
                None | Some(Request::Join(_)) => {}
                Some(Request::Work(work)) => work(&mut self),
                Some(Request::Stop(reply)) => return self.stop(reply),
            }
            self.checkpoint_if_due();
            self.folding.after_commit(&self.connection);
        }
    }

    /// Runs work in one transaction. After any failure, the state of the writer is as before.
    pub(super) fn transaction<T, E: From<JournalError>>(
        &mut self,
        durability: Durability,
        work: impl FnOnce(&mut JournalTransaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        let (tail, last_checkpoint) = (self.tail.clone(), self.checkpoints.last_size);
        let result = self.transaction_or_leftovers(durability, work);
        if result.is_err() {
            self.tail = tail;
            self.open_block = OpenBlock::unknown();
            self.checkpoints.last_size = last_checkpoint;
        }
        result
    }

    fn transaction_or_leftovers<T, E: From<JournalError>>(
        &mut self,
        durability: Durability,
        work: impl FnOnce(&mut JournalTransaction<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        if let Some(guard) = self.guard.get() {
            guard()?;
        }
        self.set_durability(durability)?;
        crate::fault::point("begin")?;
        let sql = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(JournalError::sqlite("begin"))?;
        let mut transaction = JournalTransaction {
            sql,
            tail: &mut self.tail,
            open_block: &mut self.open_block,
            checkpoints: &mut self.checkpoints,
            broken: false,
            publish: Vec::new(),
        };
        // Every path except the commit drops the transaction, which rolls it back.
        let value = catch_unwind(AssertUnwindSafe(|| work(&mut transaction)))
            .unwrap_or_else(|panic| Err(JournalError::Panicked { message: panic_message(&*panic) }.into()))?;
        let (committed, publish) = transaction.commit()?;
        for publish in publish {
            if catch_unwind(AssertUnwindSafe(publish)).is_err() {
                tracing::error!("cannot publish a committed change");
            }
        }
        self.heads.send_modify(|heads| {
            heads.committed = committed;
            if durability == Durability::Full {
                heads.durable = committed;
            }
        });
        // The commit can no longer fail, but a test may end the process before the result is sent.
        let _ = crate::fault::point("after commit");
        Ok(value)
    }

    /// Commits a group. If it fails, its requests run one by one, so that they do not fail together.
    fn commit_group(&mut self, group: &mut Vec<Member>) {
        if group.is_empty() {
            return;
        }
        let bytes = group.iter().map(Member::bytes).sum();
        let committed = self.transaction(Durability::Normal, |transaction| group::run(transaction, group));
        self.queued.fetch_sub(bytes, Ordering::Relaxed);
        match committed {
            Ok(()) => group.drain(..).for_each(|member| member.answer(Ok(()))),
            Err(error) if group.len() == 1 || !group.iter().any(Member::is_work) => {
                group.drain(..).for_each(|member| member.answer(Err(error.clone())));
            }
            Err(_) => {
                for mut member in group.drain(..) {
                    let alone = std::slice::from_mut(&mut member);
                    let done =
                        self.transaction(Durability::Normal, |transaction| group::run(transaction, alone));
                    member.answer(done);
                }
            }
        }
    }

    fn checkpoint_if_due(&mut self) {
        if self.tail.size().saturating_sub(self.checkpoints.last_size) < self.checkpoints.every.max(1) {
            return;
        }
        // Not synced, because that would cost more than the thousand appends before it. `durable_head` is the head that
        // the owner may store in the vault.
        if let Err(error) = self.transaction(Durability::Normal, |transaction| transaction.checkpoint()) {
            tracing::warn!(%error, "cannot checkpoint the journal");
        }
    }

    fn stop(mut self, reply: Option<Reply<Result<Checkpoint, JournalError>>>) {
        let Some(reply) = reply else {
            if self.tail.size() != self.opened_size
                && let Err(error) = self.last_checkpoint()
            {
                tracing::warn!(%error, "cannot checkpoint the journal on close");
            }
            return;
        };
        let checkpoint = self.last_checkpoint();
        // The connection is closed before the reply, because the caller may open the file again or move it.
        drop(self);
        reply.send(checkpoint);
    }

    /// Signs a durable checkpoint of the current head. Signing is deterministic, so an existing one remains.
    fn last_checkpoint(&mut self) -> Result<Checkpoint, JournalError> {
        let head = self.tail.head();
        if self.checkpoints.last_size == head.size && self.heads.borrow().durable == head {
            Ok(self.checkpoints.signer.sign(head))
        } else {
            self.transaction(Durability::Full, |transaction| transaction.checkpoint())
        }
    }

    fn set_durability(&mut self, wanted: Durability) -> Result<(), JournalError> {
        if self.durability == Some(wanted) {
            return Ok(());
        }
        let mode = match wanted {
            Durability::Normal => "NORMAL",
            Durability::Full => "FULL",
        };
        self.connection
            .pragma_update(None, "synchronous", mode)
            .map_err(JournalError::sqlite("ask for durability"))?;
        self.durability = Some(wanted);
        Ok(())
    }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
    palyra_common::redact::escape_untrusted(text.unwrap_or("no message"))
}
