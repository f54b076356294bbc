//! The keys that sign and verify checkpoints.

use super::note::{self, Checkpoint, CheckpointError};
use crate::hash::TreeHead;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest, Sha256};
use std::fmt;

/// Maximum length of an origin, in bytes.
pub const MAX_ORIGIN_BYTES: usize = 200;
/// The signature type of Ed25519 in C2SP notes.
const ED25519: u8 = 1;

/// The reason why a key or an origin is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum KeyError {
    /// The origin is not a valid key name.
    #[error(
        "invalid origin `{origin}`: expected 1 to {MAX_ORIGIN_BYTES} visible ASCII characters without `+`"
    )]
    BadOrigin { origin: String },
    /// The public key is weak or not canonical.
    #[error("the public key of `{origin}` is not a valid Ed25519 key")]
    BadKey { origin: String },
    /// The text is not a C2SP verifier key.
    #[error("invalid verifier key: expected `origin+hash+key`")]
    BadText,
    /// The short hash in the text belongs to another key.
    #[error("the verifier key of `{origin}` has the hash `{found}`, expected `{expected}`")]
    WrongHash {
        origin: String,
        /// The hash in the text.
        found: String,
        /// The hash of the key.
        expected: String,
    },
}

/// A public key, sufficient to verify every checkpoint of one journal.
#[derive(Clone, PartialEq, Eq)]
pub struct CheckpointKey {
    origin: String,
    key: VerifyingKey,
    hash: [u8; 4],
}

impl CheckpointKey {
    /// Wraps a public key for an origin.
    ///
    /// # Errors
    /// The origin is invalid, or the key is weak, not canonical or outside of the prime-order subgroup.
    pub fn new(origin: &str, public_key: &[u8; 32]) -> Result<Self, KeyError> {
        let bad_key = || KeyError::BadKey { origin: origin.to_owned() };
        check_origin(origin)?;
        let key = VerifyingKey::from_bytes(public_key).map_err(|_| bad_key())?;
        // A low-order key verifies anything. A second encoding of a point, or the point plus one of small order, would
        // be a second name for the same key.
        let point = key.to_edwards();
        if key.is_weak() || point.compress().as_bytes() != public_key || !point.is_torsion_free() {
            return Err(bad_key());
        }
        let hash = Sha256::new().chain_update(origin).chain_update([b'\n', ED25519]).chain_update(public_key);
        let [a, b, c, d, ..] = <[u8; 32]>::from(hash.finalize());
        Ok(Self { origin: origin.to_owned(), key, hash: [a, b, c, d] })
    }

    /// Parses the C2SP text form `origin+hash+key`.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let mut parts = text.splitn(3, '+');
        let (Some(origin), Some(hash), Some(key)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(KeyError::BadText);
        };
        let bytes = STANDARD.decode(key).map_err(|_| KeyError::BadText)?;
        let Some((&ED25519, public_key)) = bytes.split_first() else { return Err(KeyError::BadText) };
        let key = Self::new(origin, public_key.try_into().map_err(|_| KeyError::BadText)?)?;
        match hex::encode(key.hash) {
            expected if expected == hash => Ok(key),
            expected => Err(KeyError::WrongHash {
                origin: origin.to_owned(),
                found: palyra_common::redact::escape_untrusted(hash).chars().take(32).collect(),
                expected,
            }),
        }
    }

    /// Returns the origin of the journal that the key belongs to.
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Returns the 32 bytes of the public key.
    pub fn public_key(&self) -> [u8; 32] {
        self.key.to_bytes()
    }

    /// Verifies that this key signed exactly this statement; see [`CheckpointSigner::sign_statement`].
    pub fn check_statement(&self, kind: &str, line: &str, note: &str) -> Result<(), CheckpointError> {
        note::check_statement(self, kind, line, note)
    }

    /// Returns the four bytes that identify the key in a signature line.
    pub(super) fn hash(&self) -> [u8; 4] {
        self.hash
    }

    pub(super) fn accepts(&self, text: &[u8], signature: &[u8; 64]) -> bool {
        self.key.verify_strict(text, &Signature::from_bytes(signature)).is_ok()
    }
}

impl fmt::Display for CheckpointKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut key = vec![ED25519];
        key.extend_from_slice(self.key.as_bytes());
        write!(f, "{}+{}+{}", self.origin, hex::encode(self.hash), STANDARD.encode(key))
    }
}

impl fmt::Debug for CheckpointKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CheckpointKey({self})")
    }
}

/// A secret key that signs the checkpoints of one journal. Wiped when dropped.
pub struct CheckpointSigner {
    key: CheckpointKey,
    secret: SigningKey,
}

impl CheckpointSigner {
    /// Derives the key from its 32-byte seed, for an origin.
    pub fn from_seed(origin: &str, seed: &[u8; 32]) -> Result<Self, KeyError> {
        let secret = SigningKey::from_bytes(seed);
        Ok(Self { key: CheckpointKey::new(origin, secret.verifying_key().as_bytes())?, secret })
    }

    /// Returns the public key.
    pub fn key(&self) -> &CheckpointKey {
        &self.key
    }

    /// Signs a head. Deterministic.
    pub fn sign(&self, head: TreeHead) -> Checkpoint {
        let text = note::text(self.key.origin(), &head);
        let signature = self.secret.sign(text.as_bytes()).to_bytes();
        note::signed(&self.key, head, text, &signature)
    }

    /// Signs one line about another subject than the journal, such as a backup. `kind` names the subject.
    ///
    /// The note has the form of a checkpoint but never is one, because its first line is `ORIGIN KIND`.
    pub fn sign_statement(&self, kind: &str, line: &str) -> String {
        let text = note::statement(self.key.origin(), kind, line);
        let signature = self.secret.sign(text.as_bytes()).to_bytes();
        note::with_signature(&self.key, &text, &signature)
    }
}

impl fmt::Debug for CheckpointSigner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CheckpointSigner({})", self.key.origin)
    }
}

fn check_origin(origin: &str) -> Result<(), KeyError> {
    let plain = origin.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'+');
    if plain && (1..=MAX_ORIGIN_BYTES).contains(&origin.len()) {
        Ok(())
    } else {
        let origin = palyra_common::redact::escape_untrusted(origin);
        Err(KeyError::BadOrigin { origin: origin.chars().take(MAX_ORIGIN_BYTES).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_form_comes_back() {
        let signer = CheckpointSigner::from_seed("palyra.test/1", &[7; 32]).unwrap();
        let text = signer.key().to_string();
        assert_eq!(&CheckpointKey::parse(&text).unwrap(), signer.key());
        assert!(matches!(
            CheckpointKey::parse(&text.replace("test/1", "test/2")),
            Err(KeyError::WrongHash { .. })
        ));
        for bad in ["", "a+b", "palyra.test/1+00000000+AAAA", &text[..text.len() - 4]] {
            assert!(CheckpointKey::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_published_example_of_a_verifier_key_is_read() {
        // From the documentation of Go's x/mod/sumdb/note.
        let text = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
        let key = CheckpointKey::parse(text).unwrap();
        assert_eq!((key.origin(), key.to_string().as_str()), ("PeterNeumann", text));
    }

    #[test]
    fn weak_keys_and_odd_origins_are_refused() {
        let mut identity = [0; 32];
        identity[0] = 1;
        assert!(matches!(CheckpointKey::new("a", &identity), Err(KeyError::BadKey { .. })));
        for origin in ["", "a b", "a+b", "a\nb", "é", &"x".repeat(MAX_ORIGIN_BYTES + 1)] {
            assert!(matches!(CheckpointSigner::from_seed(origin, &[1; 32]), Err(KeyError::BadOrigin { .. })));
        }
    }

    #[test]
    fn the_seed_does_not_print() {
        let signer = CheckpointSigner::from_seed("palyra.test/1", &[0xab; 32]).unwrap();
        assert_eq!(format!("{signer:?}"), "CheckpointSigner(palyra.test/1)");
    }
}
