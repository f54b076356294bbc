//! Paths in a state root, and the stage of its creation.

use std::path::{Path, PathBuf};

use palyra_common::fs::{Directory, FsError};

/// The directory with everything of one owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateRoot {
    path: PathBuf,
}

/// Stage of the creation of a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// No file of a state root exists.
    Nothing,
    /// The creation was interrupted.
    Unfinished,
    /// The creation was completed.
    Made,
}

/// Marker file that exists in the root during its creation.
const UNFINISHED: &str = "initialising";

impl StateRoot {
    /// Creates a handle for a path; the file system is not accessed.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns the directory of the state root.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of `state.db`: trust, index, consent and journal.
    pub fn database(&self) -> PathBuf {
        self.path.join("state.db")
    }

    /// Returns the directory of the vault.
    pub fn vault(&self) -> PathBuf {
        self.path.join("vault")
    }

    /// Returns the directory of the object store.
    pub fn objects(&self) -> PathBuf {
        self.path.join("objects")
    }

    /// Returns the path of `storage.db`, the key-value storage of skills.
    pub fn storage(&self) -> PathBuf {
        self.path.join("storage.db")
    }

    /// Returns the directory of large tapes.
    pub fn tapes(&self) -> PathBuf {
        self.path.join("tapes")
    }

    pub(crate) fn stage(&self, directory: &Directory) -> Result<Stage, FsError> {
        let mut any = false;
        for name in ["state.db", "vault", "objects"] {
            any |= directory.contains(name)?;
        }
        Ok(match (directory.contains(UNFINISHED)?, any) {
            (true, _) => Stage::Unfinished,
            (false, true) => Stage::Made,
            (false, false) => Stage::Nothing,
        })
    }

    pub(crate) fn mark_unfinished(&self, directory: &Directory) -> Result<(), FsError> {
        directory.write(UNFINISHED, b"")
    }

    pub(crate) fn mark_finished(&self, directory: &Directory) -> Result<(), FsError> {
        directory.remove(UNFINISHED).map(|_| ())
    }
}
