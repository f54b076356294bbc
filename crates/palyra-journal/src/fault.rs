//! Where tests may stop the world: before and after the database decides.

use crate::JournalError;

/// Marks a fault point; does nothing in ordinary builds.
pub(crate) fn point(name: &'static str) -> Result<(), JournalError> {
    palyra_common::fs::fault::point(name).map_err(|error| JournalError::io(name, error))
}
