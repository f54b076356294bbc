//! Signing keys for skills: creation, import, export, rotation, revocation.

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
    /// Creates a signing key with this name.
    pub fn create_key(&self, name: &str, by: &str) -> Result<SigningKeyInfo, KeysError> {
        let _desk = self.state.keeper.desk();
        let info = self.state.vault().keys().create(name, self.state.now_ms())?;
        self.tell_key(EventKind::KeysCreated, &info, by)?;
        Ok(info)
    }

    /// Imports a key from the text of a key file.
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

    /// Exports an active key as the text of a key file, encrypted with a passphrase.
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

    /// Returns a key, or [`KeysError::Unknown`] with the names that exist.
    pub fn signing_key(&self, name: &str) -> Result<SigningKeyInfo, KeysError> {
        match self.state.vault().keys().export_public(name) {
            Err(VaultError::UnknownKey { name }) => {
                let known = self.state.vault().keys().list()?.keys.into_iter().map(|key| key.name).collect();
                Err(KeysError::Unknown { name, known })
            }
            found => Ok(found?),
        }
    }

    /// Returns a key with its secret half, in any state.
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

/// Returns the public key in the form of the trust store.
fn public(info: &SigningKeyInfo) -> Result<PublisherKey, KeysError> {
    Ok(PublisherKey::from_bytes(&info.public_key)?)
}
