//! Key rotation: the old keys name their successors, and the successors sign as well.

use serde::{Deserialize, Serialize};

use crate::digest::Sha256Digest;
use crate::signing::dsse::{Envelope, EnvelopeError};
use crate::signing::strict_json::{StrictJsonError, encode_canonical, parse_canonical};
use crate::signing::{KeyId, KeySet, ListedKey, PublisherKey, SkillSigningKey, StatementError};

/// The payload type of an envelope with a [`RotationStatement`].
pub const ROTATION_PAYLOAD_TYPE: &str = "application/vnd.palyra.key-rotation.v1+json";

/// The signed contents of a rotation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RotationStatement {
    /// The publisher whose keys change.
    pub publisher: String,
    /// The epoch that ends.
    pub from_epoch: u64,
    /// The epoch that begins, `from_epoch` + 1.
    pub to_epoch: u64,
    /// The keys that are replaced, sorted.
    pub old_keys: Vec<ListedKey>,
    /// Number of the old keys that must sign the rotation.
    pub old_threshold: u32,
    /// The keys that replace them, sorted. Each must sign the rotation.
    pub new_keys: Vec<ListedKey>,
    /// Number of the new keys that must sign a release.
    pub new_threshold: u32,
}

/// A rotation with valid signatures, by the old threshold and by every new key.
///
/// It proves that the listed keys agree, not that they belong to the publisher. The trust store decides that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedRotation {
    envelope: Envelope,
    statement: RotationStatement,
    old_keys: KeySet,
    new_keys: KeySet,
    signers: Vec<PublisherKey>,
    digest: Sha256Digest,
}

/// The reason why a rotation is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the message of each variant names its fields")]
pub enum RotationError {
    /// The statement is not canonical JSON of this schema.
    #[error("the rotation statement is malformed: {0}")]
    Json(#[from] StrictJsonError),
    /// The envelope is invalid.
    #[error("the rotation statement: {0}")]
    Envelope(#[from] EnvelopeError),
    /// The listed keys are invalid.
    #[error("the rotation statement: {0}")]
    Keys(#[from] StatementError),
    /// The epochs are not consecutive.
    #[error("the rotation goes from epoch {from} to {to}, expected consecutive epochs")]
    EpochGap {
        from: u64,
        /// The epoch that would begin.
        to: u64,
    },
    /// Fewer of the old keys signed than their threshold requires.
    #[error("{found} of the old keys signed the rotation, {needed} are required")]
    OldThreshold {
        found: u32,
        /// Number of keys that must sign.
        needed: u32,
    },
    /// A new key did not sign.
    #[error("new key `{0}` did not sign the rotation; every new key must")]
    NewKeyMissing(KeyId),
}

/// The result of applying a rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RotationOutcome {
    /// The publisher is in its next epoch.
    Rotated,
    /// The rotation was applied before.
    AlreadyKnown,
    /// Another rotation from the same epoch was applied before, so the publisher is blocked now.
    Forked,
}

impl RotationStatement {
    pub(super) fn new(publisher: &str, from_epoch: u64, old_keys: &KeySet, new_keys: &KeySet) -> Self {
        Self {
            publisher: publisher.to_owned(),
            from_epoch,
            to_epoch: from_epoch.saturating_add(1),
            old_keys: old_keys.keys().map(ListedKey::from).collect(),
            old_threshold: old_keys.threshold(),
            new_keys: new_keys.keys().map(ListedKey::from).collect(),
            new_threshold: new_keys.threshold(),
        }
    }
}

/// Reads a statement with its old and its new keys.
pub(super) fn parse_statement(payload: &[u8]) -> Result<(RotationStatement, KeySet, KeySet), RotationError> {
    let statement: RotationStatement = parse_canonical(payload)?;
    if statement.from_epoch.checked_add(1) != Some(statement.to_epoch) {
        return Err(RotationError::EpochGap { from: statement.from_epoch, to: statement.to_epoch });
    }
    let read = crate::signing::read_listed_keys;
    let old_keys = read(&statement.old_keys, statement.old_threshold)?;
    let new_keys = read(&statement.new_keys, statement.new_threshold)?;
    Ok((statement, old_keys, new_keys))
}

impl SignedRotation {
    /// Signs a rotation. `signers` must contain enough of the old keys and every new key.
    pub fn sign(
        publisher: &str,
        from_epoch: u64,
        old_keys: &KeySet,
        new_keys: &KeySet,
        signers: &[&SkillSigningKey],
    ) -> Result<Self, RotationError> {
        let statement = RotationStatement::new(publisher, from_epoch, old_keys, new_keys);
        let envelope = Envelope::sign(ROTATION_PAYLOAD_TYPE, &encode_canonical(&statement)?, signers);
        Self::verify(envelope)
    }

    /// Reads a rotation and verifies its signatures.
    ///
    /// # Errors
    /// The form is invalid, too few of the old keys signed, or a new key did not sign.
    pub fn verify(envelope: Envelope) -> Result<Self, RotationError> {
        let payload = envelope.open(ROTATION_PAYLOAD_TYPE)?;
        let (statement, old_keys, new_keys) = parse_statement(&payload)?;
        let signers = envelope.verify(ROTATION_PAYLOAD_TYPE, old_keys.keys().chain(new_keys.keys()))?;
        let found = old_keys.count_signed(&signers);
        if found < old_keys.threshold() {
            return Err(RotationError::OldThreshold { found, needed: old_keys.threshold() });
        }
        if let Some(missing) = new_keys.keys().find(|key| !signers.contains(key)) {
            return Err(RotationError::NewKeyMissing(missing.key_id()));
        }
        Ok(Self { envelope, statement, old_keys, new_keys, signers, digest: Sha256Digest::of(&payload) })
    }

    /// Returns the envelope, for storage or transport.
    #[must_use]
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// Returns the signed contents.
    #[must_use]
    pub fn statement(&self) -> &RotationStatement {
        &self.statement
    }

    /// Returns the replaced keys, as listed in the statement.
    #[must_use]
    pub fn old_keys(&self) -> &KeySet {
        &self.old_keys
    }

    /// Returns the keys that replace them.
    #[must_use]
    pub fn new_keys(&self) -> &KeySet {
        &self.new_keys
    }

    /// Returns the keys that signed.
    #[must_use]
    pub fn signers(&self) -> &[PublisherKey] {
        &self.signers
    }

    /// Returns the SHA-256 of the signed bytes. Two digests for one epoch are a fork.
    #[must_use]
    pub fn digest(&self) -> Sha256Digest {
        self.digest
    }
}

impl Serialize for SignedRotation {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.envelope.serialize(serializer)
    }
}
