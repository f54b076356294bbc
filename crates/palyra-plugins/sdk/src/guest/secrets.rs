//! The values of secrets, under a grant with `reveal`.
//!
//! The ordinary way is to let the host inject a secret: see [`crate::http::Request::bearer`].

use super::error::{HostError, ToolError};
use super::raw::types::CapabilityKind;
use super::raw::{host_capabilities, secrets};

/// Returns the value of the secret called `name` (`scope/key`, or the key alone).
///
/// # Errors
///
/// Without a grant with `reveal` the host ends the run.
pub fn reveal(name: &str) -> Result<Vec<u8>, HostError> {
    let handle = host_capabilities::find(CapabilityKind::Secret, name);
    Ok(secrets::reveal(handle)?)
}

/// Returns the value as text.
///
/// # Errors
///
/// As for [`reveal`]; the error for bytes that are not UTF-8 does not contain them.
pub fn reveal_string(name: &str) -> Result<String, ToolError> {
    String::from_utf8(reveal(name)?).map_err(|_| ToolError::invalid_data("the secret is not UTF-8", name))
}
