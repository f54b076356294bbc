//! The journal in a database file: one writer and many readers.

mod archive;
mod blocks;
mod connection;
mod folding;
mod follow;
mod group;
mod nodes;
mod open;
mod options;
mod pending;
mod query;
mod readers;
mod receipt;
mod rows;
mod schema;
mod snapshot;
mod transaction;
mod verify;
mod writer;

pub use archive::ArchivedSegment;
pub use connection::APPLICATION_ID;
pub use follow::Follower;
pub use options::{CommitGuard, JournalOptions, Migration};
pub use pending::Pending;
pub use query::{Page, Query, RecordedEvent};
pub use receipt::{Receipt, ReceiptError};
pub use snapshot::{Snapshot, copy_database};
pub use transaction::{Durability, JournalTransaction, Leaf, PreparedEvent};
pub use verify::{VerifyReport, VerifyScope, inspect_journal};

use crate::event::Encoded;
use crate::{Checkpoint, CheckpointKey, JournalError, NewEvent, TreeHead};
use follow::Heads;
use group::{Member, SharedWork};
use parking_lot::Mutex;
use readers::Readers;
use rusqlite::Connection;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, OnceLock};
use tokio::sync::watch;
use writer::Request;

/// Maximum size of the events that wait for the writer, in bytes.
const MAX_QUEUED_BYTES: usize = 64 << 20;

/// The journal. Its writer thread performs all appends; each read uses a separate connection.
///
/// Dropping it writes the waiting events and stops the writer. [`JournalStore::close`] additionally signs a last
/// checkpoint and returns errors.
pub struct JournalStore {
    requests: Sender<Request>,
    writer: Mutex<Option<std::thread::JoinHandle<()>>>,
    heads: watch::Receiver<Heads>,
    queued: Arc<AtomicUsize>,
    waiting: Arc<AtomicUsize>,
    readers: Readers,
    keys: Arc<[CheckpointKey]>,
    guard: Arc<OnceLock<CommitGuard>>,
}

impl JournalStore {
    /// Creates a journal in a new file with mode 0600, with a signed checkpoint of the empty tree.
    ///
    /// # Errors
    ///
    /// [`JournalError::AlreadyExists`] if the file contains a database.
    pub fn create(path: &Path, options: JournalOptions) -> Result<Self, JournalError> {
        open::create(path, options)
    }

    /// Opens a journal. Fails with [`JournalError::Damaged`] unless the last checkpoint, every leaf after it and the
    /// anchored head agree. The cost is bounded by the distance between checkpoints.
    pub fn open(path: &Path, options: JournalOptions) -> Result<Self, JournalError> {
        open::open(path, options)
    }

    /// Calls `guard` before every later transaction, which fails if `guard` does. Only the first call has an effect.
    pub fn guard_commits(&self, guard: CommitGuard) {
        let _ = self.guard.set(guard);
    }

    /// Queues an event. The result is available when its group is committed and survives a killed process.
    ///
    /// Never blocks: wait with [`Pending::wait`] or `.await`.
    ///
    /// # Errors
    ///
    /// The pending result is [`JournalError::Event`] if the event cannot be encoded, [`JournalError::QueueFull`] if too
    /// many bytes wait for the writer, and [`JournalError::Closed`] after [`JournalStore::close`].
    pub fn append(&self, event: NewEvent) -> Pending<Result<Leaf, JournalError>> {
        let encoded = match Encoded::new(event) {
            Ok(encoded) => encoded,
            Err(error) => return Pending::ready(Err(error.into())),
        };
        let waiting = self.queued.load(Ordering::Relaxed);
        if waiting + encoded.bytes > MAX_QUEUED_BYTES {
            return Pending::ready(Err(JournalError::QueueFull { bytes: waiting, limit: MAX_QUEUED_BYTES }));
        }
        self.queued.fetch_add(encoded.bytes, Ordering::Relaxed);
        let (reply, pending) = Pending::new(|| Err(JournalError::Closed));
        self.send(Request::Join(Member::append(encoded, reply)));
        pending
    }

    /// Runs work on the writer in one transaction, which commits all of its rows and leaves or none.
    ///
    /// An error or a panic of `work` rolls everything back.
    pub fn transaction<T, E>(
        &self,
        durability: Durability,
        work: impl FnOnce(&mut JournalTransaction<'_>) -> Result<T, E> + Send + 'static,
    ) -> Pending<Result<T, E>>
    where
        T: Send + 'static,
        E: From<JournalError> + Send + 'static,
    {
        let (reply, pending) = Pending::new(|| Err(E::from(JournalError::Closed)));
        self.send(Request::Work(Box::new(move |writer| {
            reply.send(writer.transaction(durability, work));
        })));
        pending
    }

    /// Encodes an event, for work that appends it later with [`JournalTransaction::append_prepared`].
    ///
    /// `details` must be canonical JSON: names sorted, no blanks, integers only. Debug builds assert this.
    pub fn prepare(&self, event: NewEvent, details: String) -> Result<PreparedEvent, JournalError> {
        Ok(PreparedEvent(Encoded::written(event, details)?))
    }

    /// Runs work on the writer in the same commit as other queued requests. The result is available after the commit
    /// and survives a killed process.
    ///
    /// If the commit fails, or the work of another request does, everything in it is rolled back and this work runs
    /// again alone. It must therefore have no effects except its rows and leaves.
    pub fn shared<T>(
        &self,
        work: impl FnMut(&mut JournalTransaction<'_>) -> Result<T, JournalError> + Send + 'static,
    ) -> Pending<Result<T, JournalError>>
    where
        T: Send + 'static,
    {
        let (reply, pending) = Pending::new(|| Err(JournalError::Closed));
        self.send(Request::Join(Member::Work(Box::new(SharedWork::new(work, reply)))));
        pending
    }

    /// Signs the current head, durably.
    pub fn checkpoint(&self) -> Pending<Result<Checkpoint, JournalError>> {
        self.transaction(Durability::Full, |transaction| transaction.checkpoint())
    }

    /// Appends an event, signs the head, and returns the database in this state, without any later change.
    pub fn snapshot(&self, event: NewEvent) -> Pending<Result<Snapshot, JournalError>> {
        let (reply, pending) = Pending::new(|| Err(JournalError::Closed));
        let path = self.readers.path().to_owned();
        self.send(Request::Work(Box::new(move |writer| {
            reply.send(Snapshot::take(writer, &path, event));
        })));
        pending
    }

    /// Runs queries on a read-only connection, in one snapshot. Blocks the calling thread.
    pub fn read<T, E: From<JournalError>>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        self.readers.read(work)
    }

    /// Returns the head over all committed events.
    pub fn head(&self) -> TreeHead {
        self.heads.borrow().committed
    }

    /// Returns the head that is known to be on disk, which the owner stores in the vault.
    ///
    /// It is older than [`JournalStore::head`] by the appends since the last [`Durability::Full`] commit, which a power
    /// failure can undo.
    pub fn durable_head(&self) -> TreeHead {
        self.heads.borrow().durable
    }

    /// Returns a receiver of every later change of the head.
    pub fn follow(&self) -> Follower {
        Follower::new(self.heads.clone())
    }

    /// Returns the key that signs the checkpoints.
    pub fn key(&self) -> Option<&CheckpointKey> {
        self.keys.first()
    }

    /// Writes the waiting events, signs a last checkpoint and stops. Later requests fail with [`JournalError::Closed`].
    pub fn close(&self) -> Result<Checkpoint, JournalError> {
        // The last connection that closes removes the write-ahead log; that should be the writer.
        self.readers.close();
        let (reply, pending) = Pending::new(|| Err(JournalError::Closed));
        self.send(Request::Stop(Some(reply)));
        let checkpoint = pending.wait();
        self.join();
        checkpoint
    }

    /// Returns the number of requests that wait for the writer.
    pub fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    fn send(&self, request: Request) {
        // Counted before it is sent, because the writer must never receive a request that was not counted.
        self.waiting.fetch_add(1, Ordering::Relaxed);
        // A request that cannot be sent is dropped, and its reply channel returns `Closed`.
        if self.requests.send(request).is_err() {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }

    fn join(&self) {
        let handle = self.writer.lock().take();
        if let Some(handle) = handle {
            let _ = handle.join();
        }
    }
}

impl std::fmt::Debug for JournalStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JournalStore").field("head", &self.head()).finish_non_exhaustive()
    }
}

impl Drop for JournalStore {
    fn drop(&mut self) {
        self.readers.close();
        self.send(Request::Stop(None));
        self.join();
    }
}
