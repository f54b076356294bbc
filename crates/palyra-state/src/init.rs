//! The first time: an explicit act, never a side effect of opening.
//!
//! A marker stands in the root while it is being made. Killed in between, the next `init` starts over; that can
//! lose nothing, because nothing is ever written to a root whose marker still stands. A creation that fails removes
//! everything it made.

use std::path::{Path, PathBuf};

use palyra_common::fs::Directory;
use palyra_journal::{Durability, EventKind, JournalStore, NewEvent};
use palyra_vault::Vault;

use crate::commit::Work;
use crate::damage::Damage;
use crate::db::SealedRows;
use crate::error::StateError;
use crate::history::tell_rows;
use crate::keeper::Keeper;
use crate::lock::LOCK_FILE;
use crate::objects::ObjectStore;
use crate::root::{Stage, StateRoot};
use crate::state::{State, StateOptions, lock_root, open_vault};
use crate::survey::journal_options;
use crate::view::View;

impl StateRoot {
    /// Makes a state root and opens it; refused where there is one.
    pub fn init(&self, options: &StateOptions) -> Result<State, StateError> {
        let created = Created::missing_part_of(self.path());
        let state = Directory::create_private(self.path())
            .map_err(StateError::from)
            .and_then(|_| self.init_locked(options, created.is_some()));
        if let (Err(_), Some(created)) = (&state, created) {
            created.remove_if_empty(self.path());
        }
        state
    }

    fn init_locked(&self, options: &StateOptions, created: bool) -> Result<State, StateError> {
        let (directory, lock) = lock_root(self, options)?;
        let made = match self.begin(&directory, options) {
            Err(error @ StateError::AlreadyInitialised { .. }) => return Err(error),
            begun => begun.and_then(|()| self.make(&directory, options)),
        };
        match made {
            Ok(Made { keeper, journal, objects, view }) => {
                let row_key = keeper.row_key();
                Ok(State::assemble(self, options, keeper, row_key, journal, objects, view, lock))
            }
            Err(error) => {
                // Under the lock: another creation may be waiting for it.
                discard(self, &directory, created);
                Err(error)
            }
        }
    }

    /// Marks the root as being made; refused where there is one.
    fn begin(&self, directory: &Directory, options: &StateOptions) -> Result<(), StateError> {
        match self.stage(directory)? {
            Stage::Made => Err(StateError::AlreadyInitialised { path: self.path().to_owned() }),
            Stage::Unfinished if was_finished(self, options) => {
                self.mark_finished(directory)?;
                Err(StateError::AlreadyInitialised { path: self.path().to_owned() })
            }
            Stage::Unfinished => start_over(self),
            Stage::Nothing => Ok(self.mark_unfinished(directory)?),
        }
    }

    fn make(&self, directory: &Directory, options: &StateOptions) -> Result<Made, StateError> {
        let keeper = Keeper::new(Vault::init(&self.vault(), options.key_source.clone())?);
        self.fill(directory, options, &keeper).inspect_err(|_| keeper.vault.forget_device_key())
    }

    fn fill(
        &self,
        directory: &Directory,
        options: &StateOptions,
        keeper: &Keeper,
    ) -> Result<Made, StateError> {
        let objects = ObjectStore::create(&self.objects())?;
        let journal = JournalStore::create(&self.database(), journal_options(keeper, None)?)?;
        let rows = SealedRows::default();
        let at_ms = (options.clock)().min(palyra_journal::MAX_TIME_MS);
        let mut events = vec![NewEvent::new(EventKind::StateInitialised, at_ms).actor("owner")];
        tell_rows(&mut events, 1, &[]);
        let work = Work {
            keeper: keeper.clone(),
            row_key: keeper.row_key(),
            rows: Vec::new(),
            start_over: false,
            promise: false,
            events,
            generation: 1,
            root: rows.root(),
        };
        let (_, anchor) =
            journal.transaction(Durability::Full, move |transaction| work.run(transaction)).wait()?;
        keeper.begin(&anchor)?;
        let view = View::read(1, rows).map_err(|damage| StateError::Damaged { damage })?;
        self.mark_finished(directory)?;
        Ok(Made { keeper: keeper.clone(), journal, objects, view })
    }
}

/// Everything of a new state root but its lock.
struct Made {
    keeper: Keeper,
    journal: JournalStore,
    objects: ObjectStore,
    view: View,
}

/// Whether a commit was ever confirmed: then only the marker is left over, or it was planted.
fn was_finished(root: &StateRoot, options: &StateOptions) -> bool {
    let anchors = open_vault(root, options).and_then(|keeper| keeper.anchors(&mut Damage::default()));
    anchors.is_ok_and(|anchors| anchors.committed.is_some())
}

/// The directories that a creation makes, if any.
struct Created {
    /// The first that was missing, from the outside in.
    outermost: PathBuf,
}

impl Created {
    fn missing_part_of(root: &Path) -> Option<Self> {
        let missing = root.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        Some(Self { outermost: missing.last()?.to_owned() })
    }

    /// Removes what was made of the way to the root, as far as nothing is in it.
    fn remove_if_empty(&self, root: &Path) {
        for path in root.ancestors() {
            if std::fs::remove_dir(path).is_err() || path == self.outermost {
                return;
            }
        }
    }
}

/// Removes what a failed creation made; what cannot be removed is started over by the next one.
fn discard(root: &StateRoot, directory: &Directory, created: bool) {
    // The marker goes last, so that a half-made root is never taken for one that was made.
    if start_over(root).is_ok() && root.mark_finished(directory).is_ok() && created {
        let _ = directory.remove(LOCK_FILE);
    }
}

/// Removes what an interrupted making left behind.
fn start_over(root: &StateRoot) -> Result<(), StateError> {
    let database = root.database();
    let beside = |suffix: &str| database.with_file_name(format!("state.db{suffix}"));
    for file in [database.clone(), beside("-wal"), beside("-shm"), beside("-journal")] {
        gone(&file, std::fs::remove_file(&file))?;
    }
    for folder in [root.objects(), root.vault()] {
        gone(&folder, std::fs::remove_dir_all(&folder))?;
    }
    Ok(())
}

fn gone(path: &Path, removed: std::io::Result<()>) -> Result<(), StateError> {
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(palyra_common::fs::FsError::io("remove", path, error).into())
        }
        _ => Ok(()),
    }
}
