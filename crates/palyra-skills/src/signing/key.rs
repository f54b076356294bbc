//! Ed25519 keys with strict parsing, comparison and display.

use std::fmt;
use std::str::FromStr;

use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

use super::base64;
use crate::digest::Sha256Digest;

/// The prefix of the text form of a public key.
const PUBLIC_KEY_PREFIX: &str = "ed25519-public:";

/// A public key in its canonical encoding that is not weak. Can only be constructed through these checks.
#[derive(Clone, Copy)]
pub struct PublisherKey {
    key: VerifyingKey,
    id: KeyId,
}

/// `ed25519:` and the SHA-256 of a public key. Used for display and lookup, not as a proof.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(Sha256Digest);

/// A secret key. `Debug` prints only its id.
pub struct SkillSigningKey {
    key: SigningKey,
    public: PublisherKey,
}

/// The reason why bytes or text are not a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The bytes are not a point of the curve.
    #[error("the public key is not a point of the curve")]
    NotAPoint,
    /// The bytes are a second encoding of a point.
    #[error("the public key is not in its canonical encoding")]
    NotCanonical,
    /// The point has low order, so anyone can sign for it.
    #[error("the public key is weak: it has low order, so anyone can make signatures for it")]
    Weak,
    /// The point is outside of the prime-order subgroup.
    #[error("the public key has a torsion component: one secret key could pass for eight different keys")]
    Torsion,
    /// The text is not the text form of a public key.
    #[error("invalid public key: expected `{PUBLIC_KEY_PREFIX}` and 44 characters of base64")]
    KeySyntax,
    /// The text is not the text form of a key id.
    #[error("invalid key id: expected `ed25519:` and 64 lower-case hexadecimal digits")]
    IdSyntax,
}

impl KeyError {
    /// Returns advice for the user, shown under the message.
    #[must_use]
    pub fn hint(self) -> &'static str {
        match self {
            Self::KeySyntax | Self::IdSyntax => {
                "copy all of it, as `palyra keys export NAME --public` prints it"
            }
            _ => "ask the publisher for the key again; `palyra keys new` never creates such a key",
        }
    }
}

impl PublisherKey {
    /// Checks the 32 bytes of a public key.
    ///
    /// # Errors
    /// The bytes are not a point, or the point is weak, not canonical, or outside of the prime-order subgroup.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, KeyError> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| KeyError::NotAPoint)?;
        if key.is_weak() {
            return Err(KeyError::Weak);
        }
        if key.to_edwards().compress().as_bytes() != bytes {
            return Err(KeyError::NotCanonical);
        }
        // Adding a point of small order gives a key with another id that the same secret key can sign for. One signer
        // would count twice towards a threshold, and a revoked key could be used again.
        if !key.to_edwards().is_torsion_free() {
            return Err(KeyError::Torsion);
        }
        Ok(Self { key, id: KeyId(Sha256Digest::of(bytes)) })
    }

    /// Returns the 32 bytes of the key.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.key.as_bytes()
    }

    /// Returns the id of the key.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.id
    }

    /// Returns whether the signature is valid for the message. Strict: rejects malleable signatures and weak keys.
    #[must_use]
    pub fn verifies(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.key.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
    }
}

impl SkillSigningKey {
    /// Derives the key from a seed, which is the secret itself.
    #[must_use]
    pub fn from_seed(seed: &Zeroizing<[u8; 32]>) -> Self {
        let key = SigningKey::from_bytes(seed);
        let verifying = key.verifying_key();
        // A public key derived from a seed is a multiple of the base point, so it passes every check of `from_bytes`.
        let public = PublisherKey { key: verifying, id: KeyId(Sha256Digest::of(verifying.as_bytes())) };
        Self { key, public }
    }

    /// Returns the public key.
    #[must_use]
    pub fn public(&self) -> PublisherKey {
        self.public
    }

    /// Signs a message. Deterministic: the same key and message give the same signature.
    #[must_use]
    pub fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.key.sign(message).to_bytes()
    }
}

impl fmt::Debug for SkillSigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SkillSigningKey({})", self.public.id)
    }
}

impl PartialEq for PublisherKey {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for PublisherKey {}

impl PartialOrd for PublisherKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PublisherKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl fmt::Display for PublisherKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC_KEY_PREFIX}{}", base64::encode(self.as_bytes()))
    }
}

impl fmt::Debug for PublisherKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for PublisherKey {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let encoded = text.strip_prefix(PUBLIC_KEY_PREFIX).ok_or(KeyError::KeySyntax)?;
        Self::from_bytes(&base64::decode_array(encoded).map_err(|_| KeyError::KeySyntax)?)
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ed25519:{}", self.0)
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl FromStr for KeyId {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Self, KeyError> {
        let digest = text.strip_prefix("ed25519:").ok_or(KeyError::IdSyntax)?;
        digest.parse().map(Self).map_err(|_| KeyError::IdSyntax)
    }
}

macro_rules! serde_as_text {
    ($type:ty) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

serde_as_text!(PublisherKey);
serde_as_text!(KeyId);
