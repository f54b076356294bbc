//! A rotation whose keys are on several machines, each of which adds its signatures.

use super::rotation::{ROTATION_PAYLOAD_TYPE, RotationError, RotationStatement, parse_statement};
use super::statement::{TrustStatementError, parse_envelope};
use crate::digest::Sha256Digest;
use crate::signing::dsse::{Envelope, EnvelopeSignature};
use crate::signing::strict_json::{StrictJsonError, encode_canonical};
use crate::signing::{KeyId, KeySet, PublisherKey};

/// A rotation that more keys can sign. Its form is valid, and so is every signature in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialRotation {
    payload: Vec<u8>,
    statement: RotationStatement,
    old_keys: KeySet,
    new_keys: KeySet,
    signatures: Vec<EnvelopeSignature>,
    signers: Vec<PublisherKey>,
}

impl PartialRotation {
    /// Creates a rotation that no key has signed.
    pub fn new(
        publisher: &str,
        from_epoch: u64,
        old_keys: &KeySet,
        new_keys: &KeySet,
    ) -> Result<Self, RotationError> {
        let statement = RotationStatement::new(publisher, from_epoch, old_keys, new_keys);
        Self::unsigned(&encode_canonical(&statement)?)
    }

    /// Reads the statement of a rotation, without signatures.
    pub fn unsigned(payload: &[u8]) -> Result<Self, RotationError> {
        let (statement, old_keys, new_keys) = parse_statement(payload)?;
        let (payload, signatures, signers) = (payload.to_vec(), Vec::new(), Vec::new());
        Ok(Self { payload, statement, old_keys, new_keys, signatures, signers })
    }

    /// Reads a rotation file with at least one signature, and verifies every signature in it.
    pub fn read(bytes: &[u8]) -> Result<Self, TrustStatementError> {
        let envelope = parse_envelope(bytes)?;
        if envelope.payload_type != ROTATION_PAYLOAD_TYPE {
            return Err(TrustStatementError::OtherType(crate::artifact::clip(&envelope.payload_type)));
        }
        let payload = envelope.open(ROTATION_PAYLOAD_TYPE).map_err(RotationError::from)?;
        Ok(Self::unsigned(&payload)?.with_signatures(envelope.signatures)?)
    }

    /// Returns the rotation with further signatures, each of which must be valid and by a listed key.
    pub fn with_signatures(
        self,
        signatures: impl IntoIterator<Item = EnvelopeSignature>,
    ) -> Result<Self, RotationError> {
        let all = self.signatures.iter().cloned().chain(signatures).collect();
        let envelope = Envelope::new(ROTATION_PAYLOAD_TYPE, &self.payload, all);
        let keys = self.old_keys.keys().chain(self.new_keys.keys());
        let signers = envelope.verify(ROTATION_PAYLOAD_TYPE, keys)?;
        Ok(Self { signatures: envelope.signatures, signers, ..self })
    }

    /// Returns the contents.
    #[must_use]
    pub fn statement(&self) -> &RotationStatement {
        &self.statement
    }

    /// Returns the bytes that are signed, as [`ROTATION_PAYLOAD_TYPE`].
    #[must_use]
    pub fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// Returns the replaced keys.
    #[must_use]
    pub fn old_keys(&self) -> &KeySet {
        &self.old_keys
    }

    /// Returns the keys that replace them.
    #[must_use]
    pub fn new_keys(&self) -> &KeySet {
        &self.new_keys
    }

    /// Returns whether a key is one of those that can sign.
    #[must_use]
    pub fn lists(&self, key: &PublisherKey) -> bool {
        self.old_keys.contains(key) || self.new_keys.contains(key)
    }

    /// Returns whether a key has signed.
    #[must_use]
    pub fn is_signed_by(&self, key: &PublisherKey) -> bool {
        self.signers.contains(key)
    }

    /// Returns the number of old keys that still have to sign.
    #[must_use]
    pub fn missing_old_keys(&self) -> u32 {
        self.old_keys.threshold().saturating_sub(self.old_keys.count_signed(&self.signers))
    }

    /// Returns the new keys that still have to sign.
    #[must_use]
    pub fn missing_new_keys(&self) -> Vec<KeyId> {
        self.new_keys.keys().filter(|key| !self.is_signed_by(key)).map(PublisherKey::key_id).collect()
    }

    /// Returns the SHA-256 of the bytes that are signed.
    #[must_use]
    pub fn digest(&self) -> Sha256Digest {
        Sha256Digest::of(&self.payload)
    }

    /// Encodes the rotation as a file. Once nothing is missing it is that of a
    /// [`SignedRotation`](super::SignedRotation).
    pub fn encode(&self) -> Result<Vec<u8>, StrictJsonError> {
        encode_canonical(&Envelope::new(ROTATION_PAYLOAD_TYPE, &self.payload, self.signatures.clone()))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use zeroize::Zeroizing;

    use super::*;
    use crate::signing::SkillSigningKey;
    use crate::trust::TrustStatement;

    #[test]
    fn signatures_of_several_machines_make_a_rotation() {
        let keys: Vec<SkillSigningKey> =
            (1..=6).map(|n| SkillSigningKey::from_seed(&Zeroizing::new([n; 32]))).collect();
        let set =
            |from: usize| KeySet::new(keys[from..from + 3].iter().map(SkillSigningKey::public), 2).unwrap();
        let mut rotation = PartialRotation::new("acme", 0, &set(0), &set(3)).unwrap();
        let sign = |rotation: &PartialRotation, key: &SkillSigningKey| {
            EnvelopeSignature::sign(ROTATION_PAYLOAD_TYPE, rotation.payload(), key)
        };
        // The third old key is not needed.
        for (signer, missing) in [(0, (1, 3)), (3, (1, 2)), (1, (0, 2)), (4, (0, 1)), (5, (0, 0))] {
            let signature = sign(&rotation, &keys[signer]);
            rotation = rotation.with_signatures([signature]).unwrap();
            assert_eq!((rotation.missing_old_keys(), rotation.missing_new_keys().len()), missing);
            let file = rotation.encode().unwrap();
            assert_eq!(PartialRotation::read(&file).unwrap(), rotation);
            assert_eq!(TrustStatement::parse(&file).is_ok(), missing == (0, 0));
        }
        let stranger = SkillSigningKey::from_seed(&Zeroizing::new([9; 32]));
        assert!(!rotation.lists(&stranger.public()));
        let signature = sign(&rotation, &stranger);
        assert!(rotation.clone().with_signatures([signature]).is_err());
        let other = PartialRotation::new("acme", 1, &set(0), &set(3)).unwrap();
        let moved = sign(&other, &keys[2]);
        assert!(rotation.with_signatures([moved]).is_err(), "a signature over another statement");
    }
}
