//! Assembles WebAssembly text without further changes.

use crate::error::GuestkitError;
use crate::guest::Guest;

pub(super) fn build(guest: &Guest) -> Result<Vec<u8>, GuestkitError> {
    wat::parse_file(guest.source_path()).map_err(GuestkitError::WasmText)
}
