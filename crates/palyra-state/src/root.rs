//! A state root on disk: where everything is, and whether it was ever made.

use std::path::{Path, PathBuf};

use palyra_common::fs::{Directory, FsError};

/// The folder everything of one owner is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateRoot {
    path: PathBuf,
}

/// How far a root has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing of ours is there.
    Nothing,
    /// Its making was interrupted.
    Unfinished,
    /// It was made.
    Made,
}

/// Stands in the root while it is being made.
const UNFINISHED: &str = "initialising";

impl StateRoot {
    /// Names a folder; nothing is looked at.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// `state.db`: trust, index, consent and journal.
    pub fn database(&self) -> PathBuf {
        self.path.join("state.db")
    }

    /// The vault.
    pub fn vault(&self) -> PathBuf {
        self.path.join("vault")
    }

    /// The object store.
    pub fn objects(&self) -> PathBuf {
        self.path.join("objects")
    }

    /// `storage.db`: what skills keep.
    pub fn storage(&self) -> PathBuf {
        self.path.join("storage.db")
    }

    /// The tapes of runs.
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
