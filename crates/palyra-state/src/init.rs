//! Creation of a state root: an explicit act, never a side effect of opening.
//!
//! A marker file exists in the root during creation. If the process is killed, the next `init` starts over;
//! no data can be lost, because nothing else is written to a root with the marker. A creation that fails
//! removes everything it created.

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
    /// Creates a state root and opens it. Fails with [`StateError::AlreadyInitialised`] if one exists.
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
                // Under the lock, because another creation may be waiting for it.
                discard(self, &directory, created);
                Err(error)
            }
        }
    }

    /// Marks the root as unfinished, or fails if a finished one exists.
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

/// The parts of a new state root, without its lock.
struct Made {
    keeper: Keeper,
    journal: JournalStore,
    objects: ObjectStore,
    view: View,
}

/// Returns whether the vault has a committed anchor: then creation had finished and the marker is left over
/// or was planted.
fn was_finished(root: &StateRoot, options: &StateOptions) -> bool {
    let anchors = open_vault(root, options).and_then(|keeper| keeper.anchors(&mut Damage::default()));
    anchors.is_ok_and(|anchors| anchors.committed.is_some())
}

/// The directories that a creation has to create.
struct Created {
    /// The outermost one that was missing.
    outermost: PathBuf,
}

impl Created {
    fn missing_part_of(root: &Path) -> Option<Self> {
        let missing = root.ancestors().take_while(|path| !path.as_os_str().is_empty() && !path.exists());
        Some(Self { outermost: missing.last()?.to_owned() })
    }

    /// Removes the created directories from the inside out, as long as they are empty.
    fn remove_if_empty(&self, root: &Path) {
        for path in root.ancestors() {
            if std::fs::remove_dir(path).is_err() || path == self.outermost {
                return;
            }
        }
    }
}

/// Removes what a failed creation left; if that fails too, the next creation starts over.
fn discard(root: &StateRoot, directory: &Directory, created: bool) {
    // The marker is removed last, so that a partial root never counts as finished.
    if start_over(root).is_ok() && root.mark_finished(directory).is_ok() && created {
        let _ = directory.remove(LOCK_FILE);
    }
}

/// Removes the files of an interrupted creation.
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
