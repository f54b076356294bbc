//! The private cache: installed toolchains, built guests, and locks against concurrent processes.

mod install;
mod key;
mod lock;
mod root;
mod store;
mod tidy;

use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub(crate) use key::{InputHasher, files_below, sources_below};
pub(crate) use root::cache_root;
pub(crate) use store::write_whole;

use crate::error::GuestkitError;

const WORK: &str = "guest-";

/// A cache directory, created on demand.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    root: PathBuf,
}

impl Cache {
    pub(crate) fn new(root: PathBuf) -> Self {
        Self { root }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the directory `name` below the root and creates it if missing.
    pub(crate) fn directory(&self, name: &str) -> Result<PathBuf, GuestkitError> {
        let path = self.root.join(name);
        std::fs::create_dir_all(&path).map_err(GuestkitError::file("create", &path))?;
        Ok(path)
    }

    /// Creates a temporary directory that is removed when dropped. Also removes old ones of killed processes.
    pub(crate) fn work_directory(&self) -> Result<tempfile::TempDir, GuestkitError> {
        let parent = self.directory("work")?;
        tidy::remove_old(&parent, WORK, tidy::LEFT_BEHIND_FOR, SystemTime::now());
        tempfile::Builder::new()
            .prefix(WORK)
            .tempdir_in(&parent)
            .map_err(GuestkitError::file("create a directory in", &parent))
    }
}
