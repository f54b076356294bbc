//! Secrets for skills.

use palyra_common::SecretValue;
use palyra_common::capabilities::SecretRef;
use palyra_journal::EventKind;
use palyra_vault::SecretInfo;

use crate::error::StateError;
use crate::state::State;

/// A secret that was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PutSecret {
    /// What is known about it.
    pub info: SecretInfo,
    /// Whether it took the place of an earlier value.
    pub replaced: bool,
}

impl State {
    /// Keeps a secret, in place of an earlier one of the same name.
    pub fn put_secret(
        &self,
        secret: &SecretRef,
        value: &SecretValue,
        by: &str,
    ) -> Result<PutSecret, StateError> {
        let _desk = self.keeper.desk();
        let secrets = self.vault().secrets();
        let replaced = secrets.info(secret)?.is_some();
        let info = secrets.put(secret, value, self.now_ms())?;
        self.tell(self.event(EventKind::VaultPut, by).subject(secret.to_string()))?;
        Ok(PutSecret { info, replaced })
    }

    /// Takes a secret away; says whether there was one.
    pub fn remove_secret(&self, secret: &SecretRef, by: &str) -> Result<bool, StateError> {
        let _desk = self.keeper.desk();
        if !self.vault().secrets().remove(secret)? {
            return Ok(false);
        }
        self.tell(self.event(EventKind::VaultRemoved, by).subject(secret.to_string()))?;
        Ok(true)
    }
}
