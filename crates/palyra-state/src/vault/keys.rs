//! Keys that sign skills: made, taken in, sealed for elsewhere, handed over, revoked.

mod error;
mod revoke;
mod rotate;
mod sign;

pub use error::KeysError;
pub use revoke::{KeyRevoked, RevocationStatement, RevokeKey};
pub use rotate::RotateKeys;

use palyra_journal::EventKind;
use palyra_skills::signing::{PublisherKey, SkillSigningKey};
use palyra_vault::{KdfCost, KeyFileType, Passphrase, SigningKeyInfo, VaultError, key_file};
use serde_json::json;

use super::VaultStore;

impl VaultStore<'_> {
    /// Makes a signing key.
    pub fn create_key(&self, name: &str, by: &str) -> Result<SigningKeyInfo, KeysError> {
        let _desk = self.state.keeper.desk();
        let info = self.state.vault().keys().create(name, self.state.now_ms())?;
        self.tell_key(EventKind::KeysCreated, &info, by)?;
        Ok(info)
    }

    /// Takes in a key from the text of a key file.
    pub fn import_key(
        &self,
        name: &str,
        sealed: &[u8],
        passphrase: &Passphrase,
        by: &str,
    ) -> Result<SigningKeyInfo, KeysError> {
        let seed = key_file::decode(KeyFileType::SigningKey, sealed, passphrase)?;
        let _desk = self.state.keeper.desk();
        let info = self.state.vault().keys().import(name, &seed, self.state.now_ms())?;
        self.tell_key(EventKind::KeysImported, &info, by)?;
        Ok(info)
    }

    /// Seals a key that may sign into the text of a key file.
    pub fn seal_key(
        &self,
        name: &str,
        passphrase: &Passphrase,
        by: &str,
    ) -> Result<(SigningKeyInfo, String), KeysError> {
        let info = self.signing_key(name)?;
        let seed = self.state.vault().keys().seed(name)?;
        let sealed = key_file::encode(KeyFileType::SigningKey, &seed, passphrase, KdfCost::default())?;
        self.tell_key(EventKind::KeysExported, &info, by)?;
        Ok((info, sealed))
    }

    /// A key by its name; one that is not there comes with the names that are.
    pub fn signing_key(&self, name: &str) -> Result<SigningKeyInfo, KeysError> {
        match self.state.vault().keys().export_public(name) {
            Err(VaultError::UnknownKey { name }) => {
                let known = self.state.vault().keys().list()?.keys.into_iter().map(|key| key.name).collect();
                Err(KeysError::Unknown { name, known })
            }
            found => Ok(found?),
        }
    }

    /// A key with its secret half, in whatever state it is.
    fn signer(&self, name: &str) -> Result<(SigningKeyInfo, SkillSigningKey), KeysError> {
        let info = self.signing_key(name)?;
        let signer = SkillSigningKey::from_seed(&self.state.vault().keys().seed_for_statement(name)?);
        Ok((info, signer))
    }

    fn tell_key(&self, kind: EventKind, info: &SigningKeyInfo, by: &str) -> Result<(), KeysError> {
        let event = self.state.event(kind, by).subject(info.key_id());
        Ok(self.tell(event.details(json!({ "name": info.name })))?)
    }
}

/// The public half as publishers are known by it.
fn public(info: &SigningKeyInfo) -> Result<PublisherKey, KeysError> {
    Ok(PublisherKey::from_bytes(&info.public_key)?)
}
