//! Handing over to other keys: the old ones name their successors, and both sign.
//!
//! First the journal learns the statement, then the old keys are retired. Signing is deterministic, so whoever lost
//! the answer asks again and gets the very same statement; another successor for the same epoch is refused, because
//! two of them would block the publisher everywhere.

use palyra_journal::{EventKind, Query};
use palyra_skills::signing::{KeySet, SkillSigningKey};
use palyra_skills::trust::SignedRotation;
use palyra_vault::{KeyState, SigningKeyInfo, VaultError};
use serde_json::{Value, json};

use super::{KeysError, public};
use crate::state::State;

/// Where in the details of an event the digest of the statement stands.
const STATEMENT: &str = "statement";

/// Which keys hand over to which.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RotateKeys {
    /// Whose keys they are.
    pub publisher: String,
    /// The keys that end, by name.
    pub from: Vec<String>,
    /// The keys that begin, by name.
    pub to: Vec<String>,
    /// How many of the old keys must sign.
    pub from_threshold: u32,
    /// How many of the new keys must sign from now on.
    pub to_threshold: u32,
    /// The epoch that ends; none where the publisher is known here.
    pub epoch: Option<u64>,
}

/// Keys that sign together.
struct Signers {
    infos: Vec<SigningKeyInfo>,
    keys: KeySet,
    signers: Vec<SkillSigningKey>,
}

impl State {
    /// Signs the handover and retires the old keys.
    pub fn rotate_keys(&self, request: &RotateKeys, by: &str) -> Result<SignedRotation, KeysError> {
        let _desk = self.keeper.desk();
        let old = self.signers(&request.from, request.from_threshold)?;
        let new = self.signers(&request.to, request.to_threshold)?;
        let epoch = self.ending_epoch(request)?;
        let signers: Vec<&SkillSigningKey> = old.signers.iter().chain(&new.signers).collect();
        let rotation = SignedRotation::sign(&request.publisher, epoch, &old.keys, &new.keys, &signers)?;
        if !self.was_made(&rotation)? {
            old.infos.iter().chain(&new.infos).try_for_each(must_be_active)?;
            let details = json!({
                "from": key_ids(&old.keys),
                "to": key_ids(&new.keys),
                "to_epoch": rotation.statement().to_epoch,
                STATEMENT: rotation.digest().to_string(),
            });
            let event = self.event(EventKind::KeysRotated).actor(by).subject(&request.publisher);
            self.tell(event.details(details))?;
        }
        for name in &request.from {
            self.vault().keys().retire(name, self.now_ms())?;
        }
        Ok(rotation)
    }

    fn signers(&self, names: &[String], threshold: u32) -> Result<Signers, KeysError> {
        let opened: Result<Vec<_>, KeysError> = names.iter().map(|name| self.signer(name)).collect();
        let (infos, signers): (Vec<_>, Vec<_>) = opened?.into_iter().unzip();
        let keys: Result<Vec<_>, KeysError> = infos.iter().map(public).collect();
        Ok(Signers { keys: KeySet::new(keys?, threshold)?, infos, signers })
    }

    fn ending_epoch(&self, request: &RotateKeys) -> Result<u64, KeysError> {
        let view = self.view();
        let known = view.trust().publisher(&request.publisher).and_then(|trust| trust.anchor.as_ref()?.epoch);
        let unknown = || KeysError::UnknownEpoch { publisher: request.publisher.clone() };
        request.epoch.or(known).ok_or_else(unknown)
    }

    /// Whether the journal knows this very statement.
    fn was_made(&self, rotation: &SignedRotation) -> Result<bool, KeysError> {
        let digest = Value::String(rotation.digest().to_string());
        let kinds = vec![EventKind::KeysRotated];
        let mut next = Some(Query { kinds, newest_first: true, limit: 1_000, ..Query::default() });
        while let Some(query) = next {
            let page = self.journal.query(&query).map_err(crate::StateError::from)?;
            if page.events.iter().any(|event| event.event.details.get(STATEMENT) == Some(&digest)) {
                return Ok(true);
            }
            next = page.next;
        }
        Ok(false)
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
