//! Signs a release, or a rotation whose other keys are elsewhere, with a key of the vault.

use crate::vault::VaultStore;
use palyra_journal::EventKind;
use palyra_skills::signing::dsse::EnvelopeSignature;
use palyra_skills::signing::{KeyId, ReleaseStatement, STATEMENT_PAYLOAD_TYPE, SkillSigningKey};
use palyra_skills::trust::PartialRotation;
use serde_json::json;

use super::{KeysError, public};

impl VaultStore<'_> {
    /// Signs the statement of a release or of a rotation that lists this key. The secret half stays in the vault.
    pub fn sign_statement(
        &self,
        name: &str,
        statement: &[u8],
        by: &str,
    ) -> Result<EnvelopeSignature, KeysError> {
        match PartialRotation::unsigned(statement) {
            Ok(rotation) => self.sign_rotation(name, &rotation, by),
            Err(_) => self.sign_release(name, statement, by),
        }
    }

    fn sign_release(&self, name: &str, statement: &[u8], by: &str) -> Result<EnvelopeSignature, KeysError> {
        let _desk = self.state.keeper.desk();
        let info = self.signing_key(name)?;
        let key_id: KeyId = public(&info)?.key_id();
        let release = ReleaseStatement::parse(statement)?;
        let predicate = &release.predicate;
        if !predicate.keys.iter().any(|listed| listed.key_id == key_id) {
            return Err(KeysError::NotListed {
                name: name.to_owned(),
                publisher: predicate.publisher.clone(),
            });
        }
        let key = SkillSigningKey::from_seed(&self.state.vault().keys().seed(name)?);
        let signature = EnvelopeSignature::sign(STATEMENT_PAYLOAD_TYPE, statement, &key);
        let details = json!({
            "name": name,
            "version": predicate.version.to_string(),
            "statement": palyra_skills::Sha256Digest::of(statement).to_string(),
        });
        let event = self.state.event(EventKind::KeysSigned, by).subject(info.key_id());
        self.tell(event.skill(&predicate.skill_id).details(details))?;
        Ok(signature)
    }
}
