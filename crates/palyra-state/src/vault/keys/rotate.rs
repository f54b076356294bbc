//! Key rotation: the old keys name their successors, and both sign.
//!
//! The statement is recorded in the journal before the old keys are retired. Signing is deterministic, so a
//! repeated request returns the same statement; another successor for the same epoch is rejected, because two
//! successors would block the publisher everywhere. The same rotation can be signed again for another epoch,
//! which corrects a statement with a wrong epoch and cannot create a fork.

use crate::vault::VaultStore;
use palyra_journal::{EventKind, Query};
use palyra_skills::signing::dsse::{Envelope, EnvelopeSignature};
use palyra_skills::signing::{KeySet, SkillSigningKey};
use palyra_skills::trust::{PartialRotation, ROTATION_PAYLOAD_TYPE, SignedRotation};
use palyra_vault::{KeyState, SigningKeyInfo, VaultError};
use serde::Deserialize;
use serde_json::json;

use super::{KeysError, public};

/// Request to rotate keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RotateKeys {
    /// Publisher that owns the keys.
    pub publisher: String,
    /// Names of the keys to retire.
    pub from: Vec<String>,
    /// Names of the new keys.
    pub to: Vec<String>,
    /// Number of old keys that must sign.
    pub from_threshold: u32,
    /// Number of new keys that must sign from now on.
    pub to_threshold: u32,
    /// Epoch that ends; `None` for the epoch known here, or the first.
    pub epoch: Option<u64>,
}

/// Opened keys that sign together.
struct Signers {
    infos: Vec<SigningKeyInfo>,
    keys: KeySet,
    signers: Vec<SkillSigningKey>,
}

/// The details of a `keys:rotated` event.
#[derive(Deserialize)]
struct MadeRotation {
    /// Ids of the retired keys.
    from: Vec<String>,
    /// Ids of their successors.
    to: Vec<String>,
    to_epoch: u64,
    /// SHA-256 of the signed statement.
    statement: String,
    /// The signed statement; missing in events of earlier versions.
    #[serde(default)]
    envelope: Option<Envelope>,
}

impl VaultStore<'_> {
    /// Signs the rotation statement, records it, and retires the old keys.
    pub fn rotate_keys(&self, request: &RotateKeys, by: &str) -> Result<SignedRotation, KeysError> {
        let _desk = self.state.keeper.desk();
        let old = self.signers(&request.from, request.from_threshold)?;
        let new = self.signers(&request.to, request.to_threshold)?;
        let made = self.made_rotations(&request.publisher)?;
        let epoch = self.ending_epoch(request, &old.keys, &new.keys, &made)?;
        let signers: Vec<&SkillSigningKey> = old.signers.iter().chain(&new.signers).collect();
        let rotation = SignedRotation::sign(&request.publisher, epoch, &old.keys, &new.keys, &signers)?;
        let digest = rotation.digest().to_string();
        if !made.iter().any(|made| made.statement == digest) {
            let (from, to) = (key_ids(&old.keys), key_ids(&new.keys));
            if !made.iter().any(|made| made.from == from && made.to == to) {
                old.infos.iter().try_for_each(must_be_active)?;
            }
            new.infos.iter().try_for_each(must_be_active)?;
            if made.iter().any(|made| made.to_epoch == rotation.statement().to_epoch) {
                return Err(KeysError::OtherSuccessor { publisher: request.publisher.clone(), epoch });
            }
            let details = json!({
                "from": from,
                "to": to,
                "to_epoch": rotation.statement().to_epoch,
                "statement": digest,
                "envelope": rotation.envelope(),
            });
            let event = self.state.event(EventKind::KeysRotated, by).subject(&request.publisher);
            self.tell(event.details(details))?;
        }
        // A key that is also a successor keeps signing.
        for name in request.from.iter().filter(|name| !request.to.contains(name)) {
            self.state.vault().keys().retire(name, self.state.now_ms())?;
        }
        Ok(rotation)
    }

    /// Signs a rotation whose other keys are on other machines, records that, and retires the key if it is replaced.
    pub(super) fn sign_rotation(
        &self,
        name: &str,
        rotation: &PartialRotation,
        by: &str,
    ) -> Result<EnvelopeSignature, KeysError> {
        let _desk = self.state.keeper.desk();
        let (info, signer) = self.signer(name)?;
        let (key, statement) = (signer.public(), rotation.statement());
        let publisher = || statement.publisher.clone();
        if !rotation.lists(&key) {
            return Err(KeysError::NotListed { name: name.to_owned(), publisher: publisher() });
        }
        let view = self.state.view();
        let anchor = view.trust().publisher(&statement.publisher).and_then(|trust| trust.anchor.as_ref());
        let known =
            anchor.and_then(|anchor| anchor.epoch_of_handover(rotation.old_keys(), rotation.new_keys()));
        if let Some(known) = known.filter(|known| *known != statement.from_epoch) {
            let given = statement.from_epoch;
            return Err(KeysError::WrongEpoch { publisher: publisher(), given, known });
        }
        let digest = rotation.digest().to_string();
        let made = self.made_rotations(&statement.publisher)?;
        let repeated = made.iter().any(|made| made.statement == digest);
        // A key that signed this statement before is retired by that; a revoked one signs nothing.
        if !(repeated && matches!(info.state, KeyState::Retired { .. })) {
            must_be_active(&info)?;
        }
        if !repeated {
            if made.iter().any(|made| made.to_epoch == statement.to_epoch) {
                let epoch = statement.from_epoch;
                return Err(KeysError::OtherSuccessor { publisher: publisher(), epoch });
            }
            let details = json!({
                "from": key_ids(rotation.old_keys()),
                "to": key_ids(rotation.new_keys()),
                "to_epoch": statement.to_epoch,
                "statement": digest,
            });
            let event = self.state.event(EventKind::KeysRotated, by).subject(&statement.publisher);
            self.tell(event.details(details))?;
        }
        let signature = EnvelopeSignature::sign(ROTATION_PAYLOAD_TYPE, rotation.payload(), &signer);
        if !rotation.new_keys().contains(&key) {
            self.state.vault().keys().retire(name, self.state.now_ms())?;
        }
        Ok(signature)
    }

    /// Returns the rotation statements of a publisher that were signed here, oldest first.
    pub fn signed_rotations(&self, publisher: &str) -> Result<Vec<SignedRotation>, KeysError> {
        let envelopes = self.made_rotations(publisher)?.into_iter().filter_map(|made| made.envelope);
        // A statement that fails verification is skipped.
        Ok(envelopes.filter_map(|envelope| SignedRotation::verify(envelope).ok()).collect())
    }

    fn signers(&self, names: &[String], threshold: u32) -> Result<Signers, KeysError> {
        let opened: Result<Vec<_>, KeysError> = names.iter().map(|name| self.signer(name)).collect();
        let (infos, signers): (Vec<_>, Vec<_>) = opened?.into_iter().unzip();
        let keys: Result<Vec<_>, KeysError> = infos.iter().map(public).collect();
        Ok(Signers { keys: KeySet::new(keys?, threshold)?, infos, signers })
    }

    /// Returns the epoch that the old keys end: the one known here, else the requested one, else the first.
    fn ending_epoch(
        &self,
        request: &RotateKeys,
        old: &KeySet,
        new: &KeySet,
        made: &[MadeRotation],
    ) -> Result<u64, KeysError> {
        let (from, to) = (key_ids(old), key_ids(new));
        let view = self.state.view();
        let anchor = view.trust().publisher(&request.publisher).and_then(|trust| trust.anchor.as_ref());
        let followed = |made: &&MadeRotation| made.to == from;
        let known = anchor
            .and_then(|anchor| anchor.epoch_of_handover(old, new))
            .or_else(|| made.iter().rev().find(followed).map(|made| made.to_epoch));
        let publisher = || request.publisher.clone();
        match (request.epoch, known) {
            (Some(given), Some(known)) if given != known => {
                return Err(KeysError::WrongEpoch { publisher: publisher(), given, known });
            }
            (_, Some(known)) => return Ok(known),
            (_, None) => {}
        }
        let repeated = made.iter().rev().find(|made| made.from == from && made.to == to);
        if let Some(anchor) = anchor.filter(|anchor| repeated.is_none() && !anchor.is_signed_by(old)) {
            return Err(KeysError::OtherKeys { publisher: publisher(), known: key_ids(&anchor.keys) });
        }
        let before = repeated.map(|made| made.to_epoch.saturating_sub(1));
        Ok(request.epoch.or(before).unwrap_or_default())
    }

    /// Returns a publisher's rotations according to the journal, oldest first.
    fn made_rotations(&self, publisher: &str) -> Result<Vec<MadeRotation>, KeysError> {
        let mut made = Vec::new();
        let mut next = Some(Query { kinds: vec![EventKind::KeysRotated], limit: 1_000, ..Query::default() });
        while let Some(query) = next {
            let page = self.state.journal.query(&query).map_err(crate::StateError::from)?;
            let events = page.events.iter().map(|event| &event.event);
            let own = events.filter(|event| event.subject.as_deref() == Some(publisher));
            made.extend(own.filter_map(|event| MadeRotation::deserialize(&event.details).ok()));
            next = page.next;
        }
        Ok(made)
    }
}

fn must_be_active(info: &SigningKeyInfo) -> Result<(), KeysError> {
    match info.state {
        KeyState::Active => Ok(()),
        state => Err(VaultError::KeyNotActive { name: info.name.clone(), state: state.name() }.into()),
    }
}

fn key_ids(keys: &KeySet) -> Vec<String> {
    keys.keys().map(|key| key.key_id().to_string()).collect()
}
