//! The one writer: takes requests in order and commits what can share a commit in groups.

use super::blocks::OpenBlock;
use super::folding::LogFolding;
use super::follow::Heads;
use super::group::{self, Member};
use super::options::CommitGuard;
use super::pending::Reply;
use super::transaction::{Durability, JournalTransaction};
use crate::event::RedactText;
use crate::tree::TreeTail;
use crate::{Checkpoint, CheckpointSigner, JournalError};
use rusqlite::{Connection, TransactionBehavior};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError};
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;

/// What the writer is asked.
#[allow(
    clippy::large_enum_variant,
    reason = "nearly all are of the larger kind, and a box for each would cost more"
)]
pub(super) enum Request {
    Join(Member),
    Work(Box<dyn FnOnce(&mut Writer) + Send>),
    Stop(Option<Reply<Result<Checkpoint, JournalError>>>),
}

/// Who signs checkpoints, and where the last one stands.
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
    pub(super) redactor: Arc<dyn RedactText>,
    pub(super) heads: watch::Sender<Heads>,
    pub(super) queued: Arc<AtomicUsize>,
    pub(super) waiting: Arc<AtomicUsize>,
    pub(super) max_group: usize,
    /// The size when it was opened: a writer that added nothing leaves no trace when it is dropped.
    pub(super) opened_size: u64,
    /// Asked before every transaction.
    pub(super) guard: Arc<OnceLock<CommitGuard>>,
    /// What SQLite is set to now; it cannot be changed inside a transaction.
    pub(super) durability: Option<Durability>,
}

impl Writer {
    /// Serves requests until it is stopped or all senders are gone.
    pub(super) fn run(mut self, requests: &Receiver<Request>) {
        let mut group: Vec<Member> = Vec::new();
        loop {
            let Ok(mut request) = requests.recv() else { return };
            let mut taken = 1;
            // All queued requests go into the same commit.
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

    /// Runs work in one transaction; whatever goes wrong, the writer is as it was before.
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
            redactor: &*self.redactor,
            broken: false,
            publish: Vec::new(),
        };
        // The transaction is dropped on every path but the commit, and dropping rolls back.
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
        // Nothing can be refused any more; a test may still end the process before the answer.
        let _ = crate::fault::point("after commit");
        Ok(value)
    }

    /// Commits a group; a failed group is repeated one by one, so that requests do not fail together.
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
        // Not synced: that would cost more than the thousand appends before it. `durable_head` says what
        // the owner may keep in the vault.
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
        // Closed before the answer, because the caller may open the file again or move it.
        drop(self);
        reply.send(checkpoint);
    }

    /// A durable checkpoint of the present head; signing is deterministic, so one that is there stays.
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
