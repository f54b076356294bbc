//! Fault points, at which tests stop the process: before and after a commit of the database.

use crate::JournalError;

/// Marks a fault point; does nothing in ordinary builds.
pub(crate) fn point(name: &'static str) -> Result<(), JournalError> {
    palyra_common::fs::fault::point(name).map_err(|error| JournalError::io(name, error))
}
