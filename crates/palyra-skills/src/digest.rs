//! A SHA-256 digest as a value.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

/// A SHA-256 digest, displayed and serialized as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256Digest([u8; 32]);

/// The text is not 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("invalid SHA-256 digest: expected 64 lower-case hexadecimal digits")]
pub struct DigestSyntaxError;

impl Sha256Digest {
    /// Returns the SHA-256 of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Wraps a digest that was computed elsewhere.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the digest as bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Sha256Digest {
    /// Calls `use_digits` with the digits on the stack. Avoids an allocation, because each receipt has several digests.
    fn with_digits<T>(&self, use_digits: impl FnOnce(&str) -> T) -> Option<T> {
        let mut digits = [0; 64];
        hex::encode_to_slice(self.0, &mut digits).ok()?;
        std::str::from_utf8(&digits).ok().map(use_digits)
    }
}

impl fmt::Display for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_digits(|digits| f.write_str(digits)).unwrap_or(Err(fmt::Error))
    }
}

impl fmt::Debug for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{self}")
    }
}

impl FromStr for Sha256Digest {
    type Err = DigestSyntaxError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let mut bytes = [0; 32];
        if !lower || hex::decode_to_slice(text, &mut bytes).is_err() {
            return Err(DigestSyntaxError);
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Sha256Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let no_text = || serde::ser::Error::custom("a digest is always text");
        self.with_digits(|digits| serializer.serialize_str(digits)).unwrap_or_else(|| Err(no_text()))
    }
}

impl<'de> Deserialize<'de> for Sha256Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_spelling_is_read() {
        let digest = Sha256Digest::of(b"");
        assert!(digest.to_string().starts_with("e3b0c442"));
        assert_eq!(digest.to_string().parse(), Ok(digest));
        for text in ["", "e3", &digest.to_string().to_uppercase(), &format!("{digest}00")] {
            assert_eq!(text.parse::<Sha256Digest>(), Err(DigestSyntaxError));
        }
    }
}
