//! WebAssembly text: assembled, and otherwise left as it stands.

use crate::error::GuestkitError;
use crate::guest::Guest;

pub(super) fn build(guest: &Guest) -> Result<Vec<u8>, GuestkitError> {
    wat::parse_file(guest.source_path()).map_err(GuestkitError::WasmText)
}
