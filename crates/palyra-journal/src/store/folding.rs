//! Checkpoints the write-ahead log in a separate thread, so that commits do not wait for it.
//!
//! The log is reset only when a writer finds all of it checkpointed. Under load the other thread never catches up
//! completely, so the writer checkpoints the rest itself once the log is long and little is left.

use super::connection;
use crate::JournalError;
use parking_lot::{Mutex, MutexGuard};
use rusqlite::Connection;
use rusqlite::ffi::ErrorCode;
use rusqlite::wal::CheckpointMode;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// Thresholds for checkpointing, in pages of the log.
#[derive(Debug, Clone, Copy)]
pub(super) struct FoldingLimits {
    /// Number of remaining pages from which the other thread checkpoints.
    turn: u32,
    /// Length from which the log should be reset.
    long: u32,
    /// Maximum number of remaining pages that the writer checkpoints itself.
    rest: u32,
    /// Length from which the writer checkpoints any number of remaining pages.
    too_long: u32,
}

/// The writer's action after a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Do nothing.
    Wait,
    /// Ask the other thread to checkpoint.
    Ask,
    /// Checkpoint the few remaining pages, unless the other thread is doing so.
    FoldRest,
    /// Checkpoint all remaining pages.
    FoldAll,
}

impl FoldingLimits {
    /// Returns the action for a log of `pages` with `rest` remaining. A long log makes the other thread take turns,
    /// each shorter than the previous one, until little is left.
    fn step(&self, pages: u32, rest: u32) -> Step {
        if pages >= self.too_long {
            Step::FoldAll
        } else if pages >= self.long {
            if rest <= self.rest { Step::FoldRest } else { Step::Ask }
        } else if rest >= self.turn {
            Step::Ask
        } else {
            Step::Wait
        }
    }
}

impl Default for FoldingLimits {
    fn default() -> Self {
        Self { turn: 2_000, long: 8_000, rest: 300, too_long: 24_000 }
    }
}

/// Checkpoints the log of one connection.
pub(super) struct LogFolding {
    path: PathBuf,
    limits: FoldingLimits,
    /// Length of the log after the last commit, in pages.
    pages: Arc<AtomicU32>,
    seen: u32,
    folded: Arc<Folded>,
    helper: Option<Helper>,
}

impl LogFolding {
    /// Replaces SQLite's own checkpoints, which run within commits.
    pub(super) fn of(
        connection: &mut Connection,
        path: &Path,
        limits: FoldingLimits,
    ) -> Result<Self, JournalError> {
        let pages = Arc::new(AtomicU32::new(0));
        let reported = Arc::clone(&pages);
        let hook = move |_: &mut rusqlite::hooks::Wal, pages: std::ffi::c_int| {
            reported.store(u32::try_from(pages).unwrap_or(0), Ordering::Relaxed);
            Ok(())
        };
        connection.wal_hook(Some(hook)).map_err(JournalError::sqlite("watch the log"))?;
        Ok(Self { path: path.to_owned(), limits, pages, seen: 0, folded: Arc::default(), helper: None })
    }

    /// Checks the log after a commit and acts on it.
    pub(super) fn after_commit(&mut self, connection: &Connection) {
        let pages = self.pages.load(Ordering::Relaxed);
        if pages < self.seen {
            self.folded.reset_log();
        }
        self.seen = pages;
        let rest = pages.saturating_sub(self.folded.pages());
        match self.limits.step(pages, rest) {
            Step::Wait => {}
            Step::Ask => self.ask_helper(),
            Step::FoldRest => {
                if let Some(turn) = self.folded.turn.try_lock() {
                    fold(connection, &self.folded, &turn);
                }
            }
            // Waiting for the other thread's turn keeps the log from growing without limit.
            Step::FoldAll => fold(connection, &self.folded, &self.folded.turn()),
        }
    }

    /// Requests a checkpoint of the other thread, which is started if necessary. If it cannot be started, the writer
    /// does all the work.
    fn ask_helper(&mut self) {
        if self.helper.is_none() {
            match Helper::start(&self.path, &self.folded) {
                Ok(helper) => self.helper = Some(helper),
                Err(error) => {
                    tracing::warn!(%error, "the journal's write-ahead log is checkpointed by its writer")
                }
            }
        }
        if let Some(turns) = self.helper.as_ref().and_then(|helper| helper.turns.as_ref()) {
            // If the thread is busy, it is asked again after the next commit.
            let _ = turns.try_send(());
        }
    }
}

/// The state that both threads share.
#[derive(Default)]
struct Folded {
    /// Number of checkpointed pages of the current log. The upper half is the number of the log, so that a late update
    /// about an earlier log has no effect.
    present: AtomicU64,
    /// Held while checkpointing, by one thread at a time.
    turn: Mutex<()>,
}

impl Folded {
    fn pages(&self) -> u32 {
        self.present.load(Ordering::Relaxed) as u32
    }

    fn reset_log(&self) {
        let next = (self.present.load(Ordering::Relaxed) >> 32).wrapping_add(1);
        self.present.store(next << 32, Ordering::Relaxed);
    }

    fn note(&self, before: u64, pages: u32) {
        let after = (before >> 32 << 32) | u64::from(pages);
        let _ = self.present.compare_exchange(before, after, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock()
    }
}

/// Checkpoints as many pages as the readers permit.
fn fold(connection: &Connection, folded: &Folded, _turn: &MutexGuard<'_, ()>) {
    let before = folded.present.load(Ordering::Relaxed);
    match connection.wal_checkpoint_v2(None::<&str>, CheckpointMode::PASSIVE) {
        Ok((_, pages)) => folded.note(before, u32::try_from(pages).unwrap_or(0)),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
        Err(error) => tracing::warn!(%error, "cannot checkpoint the journal's write-ahead log"),
    }
}

/// The checkpointing thread. Dropping this waits for its end.
struct Helper {
    turns: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Helper {
    fn start(path: &Path, folded: &Arc<Folded>) -> Result<Self, JournalError> {
        let connection = connection::open_folder(path)?;
        let file = open_for_ever(path)?;
        let folded = Arc::clone(folded);
        let (turns, asked) = sync_channel(1);
        let thread = std::thread::Builder::new()
            .name("palyra-folding".into())
            .spawn(move || take_turns(&connection, file, &folded, &asked))
            .map_err(|error| JournalError::io("start a thread for the log", error))?;
        Ok(Self { turns: Some(turns), thread: Some(thread) })
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        drop(self.turns.take());
        if let Some(thread) = self.thread.take() {
            // The result does not matter, but a turn in progress must end, because the file may be moved afterwards.
            let _ = thread.join();
        }
    }
}

/// Opens the file for syncing. It is leaked and never closed: when a process closes any descriptor of a file, it
/// releases all of its POSIX locks on it, including those of SQLite. One file is leaked per journal with a long log.
fn open_for_ever(path: &Path) -> Result<&'static File, JournalError> {
    let file = File::open(path).map_err(|error| JournalError::io("open the journal's file", error))?;
    Ok(Box::leak(Box::new(file)))
}

fn take_turns(connection: &Connection, file: &File, folded: &Folded, asked: &Receiver<()>) {
    while asked.recv().is_ok() {
        fold(connection, folded, &folded.turn());
        // SQLite leaves the sync to the connection that checkpoints the rest: the writer, which would block all
        // commits.
        if let Err(error) = file.sync_data() {
            tracing::warn!(%error, "cannot sync the journal file");
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const SMALL: FoldingLimits = FoldingLimits { turn: 10, long: 40, rest: 8, too_long: 120 };

    fn opened(directory: &tempfile::TempDir) -> (Connection, LogFolding) {
        let path = directory.path().join("state.db");
        std::fs::File::create(&path).unwrap();
        let mut connection = connection::open_writer(&path).unwrap();
        connection.execute_batch("CREATE TABLE row (text TEXT NOT NULL) STRICT").unwrap();
        let folding = LogFolding::of(&mut connection, &path, SMALL).unwrap();
        (connection, folding)
    }

    fn write(connection: &Connection, folding: &mut LogFolding) -> u32 {
        connection.execute("INSERT INTO row VALUES (?1)", ["x".repeat(3_000)]).unwrap();
        folding.after_commit(connection);
        folding.seen
    }

    #[test]
    fn log_is_reset_under_constant_load() {
        let directory = tempfile::tempdir().unwrap();
        let (connection, mut folding) = opened(&directory);
        let pages: Vec<u32> = (0..2_000).map(|_| write(&connection, &mut folding)).collect();
        assert!(pages.iter().max() <= Some(&(SMALL.too_long + 8)), "{:?}", pages.iter().max());
        assert!(pages.windows(2).filter(|pair| pair[1] < pair[0]).count() >= 10);
        drop(folding);
        let rows: i64 = connection.query_row("SELECT count(*) FROM row", [], |row| row.get(0)).unwrap();
        let sound: String = connection.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!((rows, sound.as_str()), (2_000, "ok"));
    }

    #[test]
    fn a_reader_keeps_the_log_and_what_it_sees() {
        let directory = tempfile::tempdir().unwrap();
        let (connection, mut folding) = opened(&directory);
        write(&connection, &mut folding);
        let reader = connection::open_reader(&directory.path().join("state.db")).unwrap();
        reader.execute_batch("BEGIN").unwrap();
        let count = |reader: &Connection| -> i64 {
            reader.query_row("SELECT count(*) FROM row", [], |row| row.get(0)).unwrap()
        };
        assert_eq!(count(&reader), 1);
        let kept: Vec<u32> = (0..300).map(|_| write(&connection, &mut folding)).collect();
        assert!(kept.is_sorted(), "the log was reset below a reader");
        assert_eq!(count(&reader), 1);
        reader.execute_batch("COMMIT").unwrap();
        assert_eq!(count(&reader), 301);
        let later: Vec<u32> = (0..100).map(|_| write(&connection, &mut folding)).collect();
        assert!(later.iter().min() < kept.last(), "the log was not reset");
    }

    #[test]
    fn the_longer_the_log_the_less_is_left_to_the_other_thread() {
        let steps = |pages: u32| [0, 8, 9, 10, 39].map(|rest| SMALL.step(pages, rest.min(pages)));
        assert_eq!(steps(39), [Step::Wait, Step::Wait, Step::Wait, Step::Ask, Step::Ask]);
        assert_eq!(steps(40), [Step::FoldRest, Step::FoldRest, Step::Ask, Step::Ask, Step::Ask]);
        assert_eq!(steps(120), [Step::FoldAll; 5]);
    }

    #[test]
    fn pages_of_an_earlier_log_do_not_count_for_the_next() {
        let folded = Folded::default();
        let before = folded.present.load(Ordering::Relaxed);
        folded.reset_log();
        folded.note(before, 99);
        assert_eq!(folded.pages(), 0);
        folded.note(folded.present.load(Ordering::Relaxed), 7);
        assert_eq!(folded.pages(), 7);
    }
}
