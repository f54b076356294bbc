//! Secrets that go in and never come out again: each shows itself as `****`, and is wiped when dropped.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use palyra_common::SecretValue;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use utoipa::ToSchema;
use zeroize::Zeroizing;

/// Secret text.
#[derive(Clone, PartialEq, Eq, ToSchema)]
#[schema(value_type = String, format = Password)]
pub struct SecretText(Zeroizing<String>);

/// Secret bytes: a string, or `{"base64": "…"}` for binary data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(untagged, deny_unknown_fields)]
pub enum SecretBytes {
    /// Text.
    Text(SecretText),
    /// Anything.
    Base64 {
        /// The bytes in base64.
        base64: SecretText,
    },
}

/// Bytes that are not base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a secret in the body is not base64")]
pub struct NotBase64;

impl SecretText {
    /// Wraps the text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// Returns the text in the clear.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl SecretBytes {
    /// Encodes the bytes.
    pub fn new(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Self::Text(SecretText::new(text)),
            Err(_) => Self::Base64 { base64: SecretText::new(STANDARD.encode(bytes)) },
        }
    }

    /// Decodes the bytes.
    pub fn value(&self) -> Result<SecretValue, NotBase64> {
        match self {
            Self::Text(text) => Ok(SecretValue::new(text.expose().as_bytes())),
            Self::Base64 { base64 } => {
                STANDARD.decode(base64.expose()).map(SecretValue::new).map_err(|_| NotBase64)
            }
        }
    }
}

impl std::fmt::Debug for SecretText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("****")
    }
}

impl Serialize for SecretText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SecretText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn any_bytes_go_in_and_none_are_shown() {
        for bytes in [&b"hunter2"[..], b"\xff\x00hunter2", "\u{0}é".as_bytes()] {
            let secret = SecretBytes::new(bytes);
            assert!(!format!("{secret:?}").contains("hunter2"), "{secret:?}");
            let text = serde_json::to_string(&secret).unwrap();
            let read: SecretBytes = serde_json::from_str(&text).unwrap();
            assert_eq!(read.value().unwrap().expose(), bytes);
        }
    }

    #[test]
    fn what_is_no_secret_is_not_repeated() {
        let read = |text: &str| serde_json::from_str::<SecretBytes>(text);
        assert_eq!(read(r#"{"base64": "not base64"}"#).unwrap().value(), Err(NotBase64));
        for bad in [r#"{"base64": "YQ==", "hunter2": 1}"#, r#"["hunter2"]"#, r#"{"hunter2": "hunter2"}"#] {
            assert!(!read(bad).unwrap_err().to_string().contains("hunter2"), "{bad}");
        }
    }
}
