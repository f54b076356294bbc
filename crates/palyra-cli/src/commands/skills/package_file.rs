//! A `.palyra-skill` file: opened with a maximum size, and sent while it is read.

use crate::error::CliError;
use crate::files::{open_file, read_file};
use palyra_api::client::{ApiBody, reader_body};
use palyra_daemon::packages::Background;
use palyra_skills::Verification;
use palyra_skills::constants::MAX_ARCHIVE_BYTES;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

/// An open package within the size limit.
pub(super) struct Package {
    file: File,
    length: u64,
}

impl Package {
    /// Opens a file; one over the size limit is rejected before it is read.
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

/// Verifies all bytes and signatures of a file, regardless of the trust in its publisher.
pub(super) fn verify_bytes(bytes: Arc<[u8]>) -> Result<Verification, CliError> {
    Ok(Background::nothing().check(bytes, true)?)
}
