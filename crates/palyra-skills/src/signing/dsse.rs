//! DSSE envelopes: signatures that cover the type of the payload as well as its bytes.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::base64;
use super::key::{KeyId, PublisherKey, SkillSigningKey};
use crate::constants::MAX_PUBLISHER_KEYS;

/// Maximum number of signatures in an envelope: the old and the new keys of a rotation.
const MAX_SIGNATURES: usize = 2 * MAX_PUBLISHER_KEYS;

/// A payload, its type, and signatures over both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// Base64 of the signed bytes.
    pub payload: String,
    /// The payload type, which the signatures cover.
    #[serde(rename = "payloadType")]
    pub payload_type: String,
    /// The signatures, sorted by key id, one per key.
    pub signatures: Vec<EnvelopeSignature>,
}

/// One signature of an envelope.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvelopeSignature {
    /// The id of the key that should verify it. A hint, not covered by the signature.
    pub keyid: KeyId,
    /// Base64 of the 64 bytes of the signature.
    pub sig: String,
}

/// The reason why an envelope is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// The payload type is not the expected one.
    #[error("the envelope contains `{found}`, expected `{expected}`")]
    PayloadType {
        /// The type of the envelope.
        found: String,
        /// The type that the caller requires.
        expected: &'static str,
    },
    /// The payload or a signature is not strict base64.
    #[error("the {part} of the envelope is not strict base64")]
    Base64 {
        /// `payload` or `signature`.
        part: &'static str,
    },
    /// The envelope has no signatures or too many.
    #[error("the envelope has {0} signatures, expected 1 to {MAX_SIGNATURES}")]
    Count(usize),
    /// Two signatures have the same key id.
    #[error("key `{0}` signed twice; a key counts once towards a threshold")]
    SignsTwice(KeyId),
    /// The signatures are not sorted by key id.
    #[error("signatures are not sorted by key id")]
    Unsorted,
    /// The verifier has no key with this id.
    #[error("no known key has the id `{0}`")]
    UnknownKey(KeyId),
    /// The signature does not verify with this key.
    #[error("invalid signature of key `{0}`")]
    BadSignature(KeyId),
}

/// Returns the bytes that are signed: the type and the payload, each with its length.
#[must_use]
pub fn pre_authentication_encoding(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut out = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    out.extend_from_slice(payload);
    out
}

impl EnvelopeSignature {
    /// Signs a payload as the given type.
    #[must_use]
    pub fn sign(payload_type: &str, payload: &[u8], key: &SkillSigningKey) -> Self {
        let message = pre_authentication_encoding(payload_type, payload);
        Self { keyid: key.public().key_id(), sig: base64::encode(&key.sign(&message)) }
    }
}

impl Envelope {
    /// Signs a payload as the given type with each key.
    #[must_use]
    pub fn sign(payload_type: &str, payload: &[u8], signers: &[&SkillSigningKey]) -> Self {
        let sign = |key: &&SkillSigningKey| EnvelopeSignature::sign(payload_type, payload, key);
        Self::new(payload_type, payload, signers.iter().map(sign).collect())
    }

    /// Creates an envelope from signatures made elsewhere. Sorts them and keeps one per key.
    #[must_use]
    pub fn new(payload_type: &str, payload: &[u8], mut signatures: Vec<EnvelopeSignature>) -> Self {
        signatures.sort_by_key(|signature| signature.keyid);
        signatures.dedup_by_key(|signature| signature.keyid);
        Self { payload: base64::encode(payload), payload_type: payload_type.to_owned(), signatures }
    }

    /// Returns the payload after checking type and form. Does not verify any signature.
    pub fn open(&self, expected_type: &'static str) -> Result<Vec<u8>, EnvelopeError> {
        if self.payload_type != expected_type {
            return Err(EnvelopeError::PayloadType {
                found: crate::artifact::clip(&self.payload_type),
                expected: expected_type,
            });
        }
        if self.signatures.is_empty() || self.signatures.len() > MAX_SIGNATURES {
            return Err(EnvelopeError::Count(self.signatures.len()));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = self.signatures.iter().find(|signature| !seen.insert(signature.keyid)) {
            return Err(EnvelopeError::SignsTwice(twice.keyid));
        }
        if !self.signatures.is_sorted_by_key(|signature| signature.keyid) {
            return Err(EnvelopeError::Unsorted);
        }
        base64::decode(&self.payload).map_err(|_| EnvelopeError::Base64 { part: "payload" })
    }

    /// Verifies every signature and returns the signing keys, in order of their ids, each once.
    ///
    /// A key id only selects the key to try; a key is returned if the signature verifies with it.
    ///
    /// # Errors
    /// The form is invalid, a key is unknown, or any signature is invalid.
    pub fn verify<'a>(
        &self,
        expected_type: &'static str,
        keys: impl IntoIterator<Item = &'a PublisherKey>,
    ) -> Result<Vec<PublisherKey>, EnvelopeError> {
        let payload = self.open(expected_type)?;
        let message = pre_authentication_encoding(expected_type, &payload);
        let keys: Vec<&PublisherKey> = keys.into_iter().collect();
        let check = |signature: &EnvelopeSignature| {
            let id = signature.keyid;
            let key = keys.iter().find(|key| key.key_id() == id).ok_or(EnvelopeError::UnknownKey(id))?;
            let bytes = base64::decode_array(&signature.sig)
                .map_err(|_| EnvelopeError::Base64 { part: "signature" })?;
            if key.verifies(&message, &bytes) { Ok(**key) } else { Err(EnvelopeError::BadSignature(id)) }
        };
        self.signatures.iter().map(check).collect()
    }
}
