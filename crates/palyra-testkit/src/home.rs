//! A temporary state root for one test.

use std::path::PathBuf;
use std::sync::Arc;

use palyra_skills::signing::{KeySet, SkillSigningKey};
use palyra_state::lock::SHORT_COMMAND_WAIT;
use palyra_state::{Damage, State, StateError, StateOptions, StateRoot};
use palyra_vault::KeySourceChoice;
use rusqlite::Connection;

pub struct Home {
    pub folder: tempfile::TempDir,
    pub root: StateRoot,
    pub options: StateOptions,
}

impl Home {
    /// Creates an empty directory without a state root.
    pub fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = StateRoot::new(folder.path().join("root"));
        Self { folder, root, options: options() }
    }

    /// Creates a state root and closes it.
    pub fn new() -> Self {
        let home = Self::empty();
        home.root.init(&home.options).unwrap().close().unwrap();
        home
    }

    pub fn open(&self) -> State {
        self.try_open().unwrap_or_else(|error| panic!("{error}"))
    }

    pub fn try_open(&self) -> Result<State, StateError> {
        State::open(&self.root, &self.options)
    }

    /// Returns the damage that an attempt to open reports; panics if it succeeds.
    pub fn damage(&self) -> Damage {
        match self.try_open() {
            Err(StateError::Damaged { damage }) => {
                assert!(!damage.is_none());
                damage
            }
            Err(other) => panic!("{other:?}"),
            Ok(_) => panic!("it opened"),
        }
    }

    /// Changes the database behind the owner's back.
    pub fn sql(&self, statements: &str) {
        let connection = Connection::open(self.root.database()).unwrap();
        connection.execute_batch(statements).unwrap();
        connection.pragma_update(None, "wal_checkpoint", "TRUNCATE").ok();
    }

    /// Copies the current database; returns the path of the copy.
    pub fn backup(&self) -> PathBuf {
        let copy = self.folder.path().join("backup.db");
        let connection = Connection::open(self.root.database()).unwrap();
        connection.execute("VACUUM INTO ?1", [copy.to_str().unwrap()]).unwrap();
        copy
    }

    /// Replaces the database by a copy.
    pub fn restore(&self, copy: &std::path::Path) {
        self.delete_database();
        std::fs::copy(copy, self.root.database()).unwrap();
    }

    pub fn delete_database(&self) {
        for suffix in ["", "-wal", "-shm"] {
            let _ = std::fs::remove_file(self.root.path().join(format!("state.db{suffix}")));
        }
    }
}

pub fn options() -> StateOptions {
    StateOptions {
        command: "test".into(),
        // Between fork and exec a child of another test holds our locks too, for a moment.
        wait: SHORT_COMMAND_WAIT,
        clock: Arc::new(|| 1_700_000_000_000),
        key_source: KeySourceChoice::File,
        ..StateOptions::default()
    }
}

pub fn signing_key(seed: u8) -> SkillSigningKey {
    SkillSigningKey::from_seed(&zeroize::Zeroizing::new([seed; 32]))
}

pub fn keys(seed: u8) -> KeySet {
    KeySet::single(signing_key(seed).public())
}
