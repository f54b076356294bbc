//! Names of routines and objectives.

use palyra_common::text::clip_untrusted;

use crate::error::ControlError;

/// Maximum length of a name in bytes.
pub const MAX_NAME: usize = 40;

/// Requires lower-case letters, digits, `-` and `_`, because a name is part of a principal, of a path and of a fire's
/// key.
pub fn check_name(kind: &'static str, name: &str) -> Result<(), ControlError> {
    let letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    if (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(letter) {
        Ok(())
    } else {
        let name = clip_untrusted(name, 80);
        Err(ControlError::BadName { kind, name })
    }
}
