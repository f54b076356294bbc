//! DSSE: a signature that also says what kind of thing was signed.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::base64;
use super::key::{KeyId, PublisherKey, SkillSigningKey};
use crate::constants::MAX_PUBLISHER_KEYS;

/// Most signatures of an envelope: the old and the new keys of a rotation.
const MAX_SIGNATURES: usize = 2 * MAX_PUBLISHER_KEYS;

/// A payload, its type, and signatures over both.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Envelope {
    /// Base64 of the signed bytes.
    pub payload: String,
    /// What the bytes are.
    #[serde(rename = "payloadType")]
    pub payload_type: String,
    /// The signatures, sorted by key id, one per key.
    pub signatures: Vec<EnvelopeSignature>,
}

/// One signature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvelopeSignature {
    /// Which key is said to have made it; a hint.
    pub keyid: KeyId,
    /// Base64 of the 64 bytes.
    pub sig: String,
}

/// Why an envelope is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvelopeError {
    /// Signed as something else.
    #[error("the envelope contains `{found}`, expected `{expected}`")]
    PayloadType {
        /// The type it has.
        found: String,
        /// The type it must have.
        expected: &'static str,
    },
    /// A payload or signature in another spelling.
    #[error("the {part} of the envelope is not strict base64")]
    Base64 {
        /// `payload` or `signature`.
        part: &'static str,
    },
    /// None, or more than there can be keys.
    #[error("the envelope has {0} signatures, expected 1 to {MAX_SIGNATURES}")]
    Count(usize),
    /// One key cannot count twice.
    #[error("key `{0}` signed twice; a key counts once towards a threshold")]
    SignsTwice(KeyId),
    /// Signatures out of order.
    #[error("signatures are not sorted by key id")]
    Unsorted,
    /// A key the reader was not given.
    #[error("no known key has the id `{0}`")]
    UnknownKey(KeyId),
    /// The signature is not of this key over this payload and type.
    #[error("invalid signature of key `{0}`")]
    BadSignature(KeyId),
}

/// The bytes that are signed: the type and the payload, each with its length.
#[must_use]
pub fn pre_authentication_encoding(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let mut out = format!("DSSEv1 {} {payload_type} {} ", payload_type.len(), payload.len()).into_bytes();
    out.extend_from_slice(payload);
    out
}

impl EnvelopeSignature {
    /// Signs bytes as a given type.
    #[must_use]
    pub fn sign(payload_type: &str, payload: &[u8], key: &SkillSigningKey) -> Self {
        let message = pre_authentication_encoding(payload_type, payload);
        Self { keyid: key.public().key_id(), sig: base64::encode(&key.sign(&message)) }
    }
}

impl Envelope {
    /// Signs bytes as a given type with each key.
    #[must_use]
    pub fn sign(payload_type: &str, payload: &[u8], signers: &[&SkillSigningKey]) -> Self {
        let sign = |key: &&SkillSigningKey| EnvelopeSignature::sign(payload_type, payload, key);
        Self::new(payload_type, payload, signers.iter().map(sign).collect())
    }

    /// Puts signatures that were made elsewhere around the bytes; a key counts once.
    #[must_use]
    pub fn new(payload_type: &str, payload: &[u8], mut signatures: Vec<EnvelopeSignature>) -> Self {
        signatures.sort_by_key(|signature| signature.keyid);
        signatures.dedup_by_key(|signature| signature.keyid);
        Self { payload: base64::encode(payload), payload_type: payload_type.to_owned(), signatures }
    }

    /// The bytes it holds, once its type and form are right; nothing is proven about who signed.
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

    /// Checks every signature against the keys given and returns who signed, in order, each key once.
    ///
    /// A key id only says which key to try; what counts is the key that the signature holds under.
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
