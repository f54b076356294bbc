//! Secrets for skills.

use palyra_common::SecretValue;
use palyra_common::capabilities::SecretRef;
use palyra_journal::EventKind;
use palyra_vault::SecretInfo;

use super::VaultStore;
use crate::error::StateError;

/// Result of storing a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutSecret {
    /// Description of the secret, without its value.
    pub info: SecretInfo,
    /// True if an earlier value was replaced.
    pub replaced: bool,
}

impl VaultStore<'_> {
    /// Stores or replaces a secret, and records it in the journal without the value.
    pub fn put_secret(
        &self,
        secret: &SecretRef,
        value: &SecretValue,
        by: &str,
    ) -> Result<PutSecret, StateError> {
        let _desk = self.state.keeper.desk();
        let secrets = self.state.vault().secrets();
        let replaced = secrets.info(secret)?.is_some();
        let info = secrets.put(secret, value, self.state.now_ms())?;
        self.tell(self.state.event(EventKind::VaultPut, by).subject(secret.to_string()))?;
        Ok(PutSecret { info, replaced })
    }

    /// Removes a secret; returns whether it existed.
    pub fn remove_secret(&self, secret: &SecretRef, by: &str) -> Result<bool, StateError> {
        let _desk = self.state.keeper.desk();
        if !self.state.vault().secrets().remove(secret)? {
            return Ok(false);
        }
        self.tell(self.state.event(EventKind::VaultRemoved, by).subject(secret.to_string()))?;
        Ok(true)
    }
}
