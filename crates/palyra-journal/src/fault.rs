//! Where tests may stop the world: before and after the database decides.

use crate::JournalError;

/// Passes a point; in an ordinary build nothing happens here.
pub(crate) fn point(name: &'static str) -> Result<(), JournalError> {
    palyra_common::fs::fault::point(name).map_err(|error| JournalError::io(name, error))
}
