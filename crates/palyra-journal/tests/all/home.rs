//! A journal in a temporary directory.

use palyra_journal::{
    CheckpointKey, CheckpointSigner, EventKind, JournalError, JournalOptions, JournalStore, NewEvent,
    TreeHead,
};
use rusqlite::Connection;
use serde_json::json;
use std::path::PathBuf;
use tempfile::TempDir;

pub(crate) struct Home {
    pub(crate) directory: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { directory: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("state.db")
    }

    pub(crate) fn create(&self) -> JournalStore {
        JournalStore::create(&self.path(), options()).unwrap()
    }

    pub(crate) fn open(&self) -> Result<JournalStore, JournalError> {
        JournalStore::open(&self.path(), options())
    }

    pub(crate) fn open_anchored(&self, head: TreeHead) -> Result<JournalStore, JournalError> {
        JournalStore::open(&self.path(), JournalOptions { anchored_head: Some(head), ..options() })
    }

    /// Creates a journal with `count` events and closes it; returns its head.
    pub(crate) fn filled(count: u64) -> (Self, TreeHead) {
        let home = Self::new();
        let store = home.create();
        append_many(&store, 0..count);
        let head = store.close().unwrap().head();
        (home, head)
    }

    /// Changes the database as an intruder with SQLite would.
    pub(crate) fn tamper(&self, sql: &str) {
        let connection = Connection::open(self.path()).unwrap();
        connection
            .execute_batch(&format!(
                "DROP TRIGGER IF EXISTS journal_event_is_final; DROP TRIGGER IF EXISTS journal_event_stays; {sql}"
            ))
            .unwrap();
    }
}

/// Checkpoints every 100 events, so that small journals have several.
pub(crate) fn options() -> JournalOptions {
    JournalOptions { checkpoint_every: 100, ..JournalOptions::new(signer()) }
}

pub(crate) fn signer() -> CheckpointSigner {
    CheckpointSigner::from_seed("palyra.test/journal", &[7; 32]).unwrap()
}

pub(crate) fn key() -> CheckpointKey {
    signer().key().clone()
}

/// The event with this number; every field depends on it.
pub(crate) fn event(number: u64) -> NewEvent {
    let kinds = [EventKind::RunCompleted, EventKind::RunFailed, EventKind::SkillInstalled];
    NewEvent::new(kinds[number as usize % kinds.len()], 1_700_000_000_000 + number * 10)
        .skill(format!("acme.skill{}", number % 5))
        .run(format!("run-{:06}", number / 2))
        .details(json!({"number": number, "text": "é\n\"quoted\""}))
}

pub(crate) fn append_many(store: &JournalStore, numbers: std::ops::Range<u64>) {
    // Groups as large as the distance between checkpoints, so that checkpoints have round sizes.
    let numbers: Vec<u64> = numbers.collect();
    for some in numbers.chunks(100) {
        let pending: Vec<_> = some.iter().map(|number| store.append(event(*number))).collect();
        for answer in pending {
            answer.wait().unwrap();
        }
    }
}
