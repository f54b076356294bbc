//! Strict base64: standard alphabet, padding, no white space, unused bits zero.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// The text is not strict base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("base64 must use the standard alphabet with padding")]
pub struct Base64Error;

/// Encodes bytes with the standard alphabet and padding.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Decodes text, which must be exactly what [`encode`] returns for the same bytes.
pub fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    let bytes = STANDARD.decode(text).map_err(|_| Base64Error)?;
    if encode(&bytes) == text { Ok(bytes) } else { Err(Base64Error) }
}

/// Decodes exactly `N` bytes.
pub fn decode_array<const N: usize>(text: &str) -> Result<[u8; N], Base64Error> {
    decode(text)?.try_into().map_err(|_| Base64Error)
}
