//! The first time: an explicit act, never a side effect of opening.
//!
//! A marker stands in the root while it is being made. Killed in between, the next `init` starts over; that can
//! lose nothing, because nothing is ever written to a root whose marker still stands.

use palyra_common::fs::Directory;
use palyra_journal::{Durability, EventKind, JournalStore, NewEvent};
use palyra_vault::Vault;

use crate::commit::Work;
use crate::damage::Damage;
use crate::db::SealedRows;
use crate::error::StateError;
use crate::history::tell_rows;
use crate::keeper::Keeper;
use crate::objects::ObjectStore;
use crate::root::{Stage, StateRoot};
use crate::state::{State, StateOptions, lock_root, open_vault};
use crate::survey::journal_options;
use crate::view::View;

impl StateRoot {
    /// Makes a state root and opens it; refused where there is one.
    pub fn init(&self, options: &StateOptions) -> Result<State, StateError> {
        Directory::create_private(self.path())?;
        let (directory, lock) = lock_root(self, options)?;
        match self.stage(&directory)? {
            Stage::Made => return Err(StateError::AlreadyInitialised { path: self.path().to_owned() }),
            Stage::Unfinished if was_finished(self, options) => {
                self.mark_finished(&directory)?;
                return Err(StateError::AlreadyInitialised { path: self.path().to_owned() });
            }
            Stage::Unfinished => start_over(self)?,
            Stage::Nothing => self.mark_unfinished(&directory)?,
        }
        let keeper = Keeper::new(Vault::init(&self.vault(), options.key_source.clone())?);
        let row_key = keeper.row_key();
        let objects = ObjectStore::create(&self.objects())?;
        let journal = JournalStore::create(&self.database(), journal_options(&keeper, None)?)?;
        let rows = SealedRows::default();
        let at_ms = (options.clock)().min(palyra_journal::MAX_TIME_MS);
        let mut events = vec![NewEvent::new(EventKind::StateInitialised, at_ms).actor("owner")];
        tell_rows(&mut events, 1, &[]);
        let work = Work {
            keeper: keeper.clone(),
            row_key: row_key.clone(),
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
        self.mark_finished(&directory)?;
        let view = View::read(1, rows).map_err(|damage| StateError::Damaged { damage })?;
        Ok(State::assemble(self, options, keeper, row_key, journal, objects, view, lock))
    }
}

/// Whether a commit was ever confirmed: then the marker was all that was left to do, or somebody planted it.
fn was_finished(root: &StateRoot, options: &StateOptions) -> bool {
    let anchors = open_vault(root, options).and_then(|keeper| keeper.anchors(&mut Damage::default()));
    anchors.is_ok_and(|anchors| anchors.committed.is_some())
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

fn gone(path: &std::path::Path, removed: std::io::Result<()>) -> Result<(), StateError> {
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(palyra_common::fs::FsError::io("remove", path, error).into())
        }
        _ => Ok(()),
    }
}
