//! A `.palyra-skill` file: opened with its ceiling, and sent while it is read.

use crate::error::CliError;
use crate::files::{open_file, read_file};
use palyra_api::client::{ApiBody, reader_body};
use palyra_daemon::packages::Background;
use palyra_skills::Verification;
use palyra_skills::constants::MAX_ARCHIVE_BYTES;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// A package that is open and not over the ceiling.
pub(super) struct Package {
    file: File,
    length: u64,
}

impl Package {
    /// Opens a file; one over the ceiling is refused unread.
    pub(super) fn open(path: &Path) -> Result<Self, CliError> {
        let (file, length) = open_file(path, MAX_ARCHIVE_BYTES)?;
        Ok(Self { file, length })
    }

    /// Returns the file as a request body; must be called inside the connection's runtime.
    pub(super) fn body(self) -> ApiBody {
        reader_body(self.file, self.length)
    }
}

/// Reads a package; a file above the maximum size is rejected without reading it.
pub(super) fn read(path: &Path) -> Result<Arc<[u8]>, CliError> {
    Ok(read_file(path, MAX_ARCHIVE_BYTES)?.into())
}

/// Verifies every byte and signature of a file, without the trust of its publisher.
pub(super) fn verify_bytes(bytes: Arc<[u8]>) -> Result<Verification, CliError> {
    Ok(Background::nothing().check(bytes, true)?)
}
