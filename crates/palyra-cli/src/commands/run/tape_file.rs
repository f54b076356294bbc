//! `--record` and `--replay`.

use crate::error::CliError;
use crate::files::{FileError, read_file};
use palyra_plugins_runtime::{Tape, TapeError};
use std::io::Write;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Maximum size of a tape in bytes.
const MAX_TAPE_BYTES: u64 = 1 << 30;

/// The file of a new tape, checked to be writable before the run begins.
///
/// The tape is written atomically, and only its owner can read it.
pub(super) struct TapeFile {
    target: PathBuf,
    temporary: NamedTempFile,
}

impl TapeFile {
    /// Checks that the file can be created.
    pub(super) fn prepare(target: &Path) -> Result<Self, CliError> {
        if target.is_dir() {
            return Err(CliError::usage(format!(
                "cannot write the tape `{}`: it is a directory",
                target.display()
            )));
        }
        let parent =
            target.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let temporary = tempfile::Builder::new().prefix(".palyra-tape-").tempfile_in(parent);
        let temporary =
            temporary.map_err(|error| CliError::unusable_place("directory of the tape", parent, &error))?;
        Ok(Self { target: target.to_owned(), temporary })
    }

    /// Writes the tape and renames it to its final name.
    pub(super) fn keep(self, tape: &Tape) -> Result<PathBuf, CliError> {
        self.keep_text(&tape.encode())
    }

    /// Writes a tape in its text form and moves it to its path.
    pub(super) fn keep_text(mut self, tape: &[u8]) -> Result<PathBuf, CliError> {
        let what = format!("cannot write the tape `{}`", self.target.display());
        let written = self.temporary.write_all(tape).and_then(|()| self.temporary.as_file().sync_all());
        let kept = written.and_then(|()| self.temporary.persist(&self.target).map_err(|error| error.error));
        kept.map(|_| self.target).map_err(CliError::io(what))
    }
}

pub(super) fn read_tape(path: &Path) -> Result<Tape, CliError> {
    let bad = |source| CliError::BadTape { path: path.to_owned(), source };
    let bytes = read_file(path, MAX_TAPE_BYTES).map_err(|error| match error {
        FileError::TooLong { bytes, .. } => {
            bad(TapeError::TooLong { bytes: usize::try_from(bytes).unwrap_or(usize::MAX) })
        }
        FileError::NotRegular(_) => CliError::usage(error.to_string()),
        error => error.into(),
    })?;
    Tape::decode(&bytes).map_err(bad)
}
