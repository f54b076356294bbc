//! A consistent mirror of the state root in its own directory: databases are copied from a snapshot while
//! writes continue, the other files are copied, and objects and tapes stay in place, because they never change.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use palyra_journal::{Checkpoint, EventKind, NewEvent, copy_database};
use rusqlite::{Connection, OpenFlags};

use super::layout::{self, DATABASES, IN_PLACE};
use super::{BackupError, write::point};
use crate::error::StateError;
use crate::state::State;
use crate::text::short_name;

/// Maximum wait for a guest that is writing to the storage database.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// A temporary directory with the mirrored files, removed on drop.
pub(super) struct Mirror {
    folder: PathBuf,
    pub(super) checkpoint: Checkpoint,
}

impl Mirror {
    /// Mirrors the state into `cache/backup`, after removing the rest of an earlier attempt.
    pub(super) fn make(state: &State, principal: &str) -> Result<Self, BackupError> {
        let folder = state.root().path().join("cache").join("backup");
        clear(&folder)?;
        private_folder(&folder)?;
        let made = fill(state, &folder, principal);
        if made.is_err() {
            let _ = clear(&folder);
        }
        Ok(Self { folder, checkpoint: made? })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Mirror {
    fn drop(&mut self) {
        if let Err(error) = clear(&self.folder) {
            tracing::warn!(%error, "cannot remove the temporary files of a backup");
        }
    }
}

fn fill(state: &State, folder: &Path, principal: &str) -> Result<Checkpoint, BackupError> {
    let snapshot = {
        // Changes of the vault and of decisions are blocked until both snapshots are taken.
        let _desk = state.keeper.desk();
        let mut gate = state.gate();
        state.settle(&mut gate)?;
        let event = NewEvent::new(EventKind::StateBackedUp, state.now_ms()).actor(short_name(principal));
        let snapshot = state.journal().snapshot(event).wait().map_err(StateError::from)?;
        mirror_folder(state.root().path(), Path::new(""), folder)?;
        snapshot
    };
    point("backup: database")?;
    let copy = private_file(&folder.join("state.db"))?;
    snapshot.copy_to(&copy).map_err(StateError::from)?;
    copy_storage(&state.root().storage(), folder)?;
    Ok(snapshot.checkpoint().clone())
}

fn mirror_folder(root: &Path, below: &Path, to: &Path) -> Result<(), BackupError> {
    let from = root.join(below);
    for entry in fs::read_dir(&from).map_err(BackupError::file("read", &from))? {
        let name = below.join(entry.map_err(BackupError::file("read", &from))?.file_name());
        let Some(text) = name.to_str() else { continue };
        if IN_PLACE.contains(&text) || DATABASES.contains(&text) {
            continue;
        }
        let (path, copy) = (root.join(&name), to.join(&name));
        if !layout::is_folder(text) && !layout::is_file(text) {
            continue;
        }
        let metadata = fs::symlink_metadata(&path).map_err(BackupError::file("read", &path))?;
        if metadata.is_dir() && layout::is_folder(text) {
            private_folder(&copy)?;
            mirror_folder(root, &name, to)?;
        } else if metadata.is_file() && layout::is_file(text) {
            point("backup: copy")?;
            fs::copy(&path, &copy).map_err(BackupError::file("read", &path))?;
        } else {
            return Err(BackupError::OddEntry(path));
        }
    }
    Ok(())
}

/// Copies the storage of skills; the database does not exist before the first run that uses it.
fn copy_storage(storage: &Path, folder: &Path) -> Result<(), BackupError> {
    if !storage.exists() {
        return Ok(());
    }
    let copy = private_file(&folder.join("storage.db"))?;
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let resolved = storage.canonicalize().map_err(BackupError::file("read", storage))?;
    let copied = Connection::open_with_flags(resolved, flags).and_then(|connection| {
        connection.busy_timeout(BUSY_TIMEOUT)?;
        copy_database(&connection, &copy)
    });
    copied.map_err(|error| BackupError::file("read", storage)(io::Error::other(error)))
}

fn private_file(path: &Path) -> Result<PathBuf, BackupError> {
    let made = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    made.map(|_| path.to_owned()).map_err(BackupError::file("written", path))
}

/// Creates a directory with mode 0700, and its parents.
pub(super) fn private_folder(path: &Path) -> Result<(), BackupError> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(BackupError::file("written", path))
}

/// Removes a directory with its content, if it exists.
pub(super) fn clear(path: &Path) -> Result<(), BackupError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(BackupError::file("written", path)(error))
        }
        _ => Ok(()),
    }
}
