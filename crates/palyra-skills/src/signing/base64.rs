//! Base64 with one spelling: standard alphabet, padding, no white space, no bits left over.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Text that is not the one spelling of some bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("base64 must use the standard alphabet with padding")]
pub struct Base64Error;

/// Writes bytes.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Reads bytes back; any other spelling than [`encode`]'s is refused.
pub fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    let bytes = STANDARD.decode(text).map_err(|_| Base64Error)?;
    if encode(&bytes) == text { Ok(bytes) } else { Err(Base64Error) }
}

/// Reads exactly `N` bytes back.
pub fn decode_array<const N: usize>(text: &str) -> Result<[u8; N], Base64Error> {
    decode(text)?.try_into().map_err(|_| Base64Error)
}
