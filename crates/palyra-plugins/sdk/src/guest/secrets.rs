//! Secrets in the clear, for the rare grant that says `reveal`.
//!
//! The ordinary way is to let the host inject a secret: see [`crate::http::Request::bearer`].

use super::error::{HostError, ToolError};
use super::raw::types::CapabilityKind;
use super::raw::{host_capabilities, secrets};

/// The value of the secret called `name` (`scope/key`, or the key alone).
pub fn reveal(name: &str) -> Result<Vec<u8>, HostError> {
    let handle = host_capabilities::find(CapabilityKind::Secret, name);
    Ok(secrets::reveal(handle)?)
}

/// The value as text.
///
/// The error for bytes that are not UTF-8 does not carry them.
pub fn reveal_string(name: &str) -> Result<String, ToolError> {
    String::from_utf8(reveal(name)?).map_err(|_| ToolError::invalid_data("the secret is not UTF-8", name))
}
