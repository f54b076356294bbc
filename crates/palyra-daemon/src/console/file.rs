//! The file that keeps sessions across restarts of the daemon.

use std::path::PathBuf;

use palyra_common::fs::{Directory, FsError};
use palyra_state::StateRoot;
use parking_lot::Mutex;

use super::sessions::SessionRecord;
use crate::server::RUN_FOLDER;

const FILE: &str = "console-sessions.json";
/// Maximum size of the file in bytes.
const MAX_BYTES: u64 = 64 << 10;

/// The file of the sessions; writes are serialized.
pub(super) struct SessionFile {
    folder: PathBuf,
    writing: Mutex<()>,
}

impl SessionFile {
    pub(super) fn of(root: &StateRoot) -> Self {
        Self { folder: root.path().join(RUN_FOLDER), writing: Mutex::default() }
    }

    /// Reads the sessions of an earlier daemon; an unreadable file signs every browser out.
    pub(super) fn read(&self) -> Result<Vec<SessionRecord>, FsError> {
        let bytes = match Directory::open_private(&self.folder) {
            Err(error) if error.is_not_found() => None,
            folder => folder?.read(FILE, MAX_BYTES)?,
        };
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
    }

    /// Writes the result of `records`, which is called under the lock, so that the last write has the last state.
    pub(super) fn write(&self, records: impl FnOnce() -> Vec<SessionRecord>) -> Result<(), FsError> {
        let _turn = self.writing.lock();
        let bytes = serde_json::to_vec(&records()).unwrap_or_default();
        Directory::create_private(&self.folder)?.write(FILE, &bytes)
    }
}
