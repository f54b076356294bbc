//! Creating a journal, and opening one that may have been manipulated.

use super::blocks::OpenBlock;
use super::connection;
use super::folding::{FoldingLimits, LogFolding};
use super::follow::Heads;
use super::readers::Readers;
use super::writer::{Checkpoints, Writer};
use super::{JournalOptions, JournalStore, rows, schema, verify};
use crate::tree::TreeTail;
use crate::{JournalError, TreeHead};
use parking_lot::Mutex;
use rusqlite::{Connection, params};
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, mpsc};
use tokio::sync::watch;

/// Creates the file, the tables and the first checkpoint.
pub(super) fn create(path: &Path, options: JournalOptions) -> Result<JournalStore, JournalError> {
    create_private_file(path)?;
    let mut connection = connection::open_writer(path)?;
    let head = TreeHead::empty();
    let checkpoint = options.signer.sign(head);
    schema::initialise(&mut connection, path, &options.migrations, |transaction| {
        transaction
            .execute(
                "INSERT INTO journal_head (only_one, size, root, archived) VALUES (0, 0, ?1, 0)",
                params![head.root.as_bytes()],
            )
            .map_err(JournalError::sqlite("write the first head"))?;
        rows::insert_checkpoint(transaction, head.size, checkpoint.note())
    })?;
    start(path, connection, TreeTail::empty(), head.size, options)
}

/// Checks the tables and the journal before it starts the writer.
pub(super) fn open(path: &Path, options: JournalOptions) -> Result<JournalStore, JournalError> {
    let mut connection = connection::open_writer(path)?;
    schema::upgrade(&mut connection, path, &options.migrations)?;
    let checked = verify::check_recent(&connection, &options.keys(), options.anchored_head.as_ref())?;
    start(path, connection, checked.tail, checked.last_checkpoint, options)
}

fn start(
    path: &Path,
    mut connection: Connection,
    tail: TreeTail,
    last_checkpoint: u64,
    options: JournalOptions,
) -> Result<JournalStore, JournalError> {
    let keys = options.keys();
    let head = tail.head();
    // The rows that were just read may be only in the cache of the operating system.
    let durable = options.anchored_head.unwrap_or_else(TreeHead::empty);
    let (heads, head_receiver) = watch::channel(Heads { committed: head, durable });
    let queued = Arc::new(AtomicUsize::new(0));
    let waiting = Arc::new(AtomicUsize::new(0));
    let guard = Arc::default();
    let (requests, receiver) = mpsc::channel();
    let folding = LogFolding::of(&mut connection, path, FoldingLimits::default())?;
    let writer = Writer {
        connection,
        folding,
        tail,
        open_block: OpenBlock::unknown(),
        checkpoints: Checkpoints {
            signer: options.signer,
            every: options.checkpoint_every,
            last_size: last_checkpoint,
        },
        heads,
        queued: Arc::clone(&queued),
        waiting: Arc::clone(&waiting),
        max_group: options.max_group.max(1),
        opened_size: head.size,
        guard: Arc::clone(&guard),
        durability: None,
    };
    let thread = std::thread::Builder::new()
        .name("palyra-journal".into())
        .spawn(move || writer.run(&receiver))
        .map_err(|error| JournalError::io("start the journal's writer", error))?;
    Ok(JournalStore {
        requests,
        writer: Mutex::new(Some(thread)),
        heads: head_receiver,
        queued,
        waiting,
        readers: Readers::new(path),
        keys,
        guard,
    })
}

/// Creates the file with mode 0600 before SQLite opens it; SQLite gives the log beside it the same mode.
fn create_private_file(path: &Path) -> Result<(), JournalError> {
    use std::os::unix::fs::OpenOptionsExt as _;
    crate::fault::point("create the database")?;
    match std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => Ok(()),
        // A killed creation leaves an empty file; the tables are looked for later.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(JournalError::io("create the database", error)),
    }
}
