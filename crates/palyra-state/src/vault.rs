//! Changes of the vault: serialized, each with its event.

mod keys;
mod secrets;

pub use keys::{KeyRevoked, KeysError, RevocationStatement, RevokeKey, RotateKeys};
pub use secrets::PutSecret;

use palyra_journal::NewEvent;

use palyra_vault::{Vault, VaultError};

use crate::error::StateError;

/// Opens every secret and signing key; returns a line for each one that cannot be opened.
pub(crate) fn vault_faults(vault: &Vault) -> Result<Vec<String>, VaultError> {
    let (secrets, keys) = (vault.secrets().list()?, vault.keys().list()?);
    let listed = secrets.damaged.into_iter().chain(keys.damaged).map(|damaged| damaged.error);
    // A listing reads descriptions only: the value of each entry is sealed on its own.
    let values = secrets.secrets.iter().filter_map(|secret| vault.secrets().get(&secret.reference).err());
    let seeds = keys.keys.iter().filter_map(|key| vault.keys().seed_for_statement(&key.name).err());
    Ok(listed.chain(values).chain(seeds).map(|error| error.to_string()).collect())
}

crate::state::store! {
    /// Changes the secrets and signing keys of a state; each change has an event.
    VaultStore, vault_store
}

impl VaultStore<'_> {
    /// Opens every entry of the vault and returns a line for each one that cannot be opened. Blocks the calling thread.
    pub fn faults(&self) -> Result<Vec<String>, StateError> {
        let _desk = self.state.keeper.desk();
        Ok(vault_faults(&self.state.keeper.vault)?)
    }

    /// Appends an event without rows and waits for its commit.
    fn tell(&self, event: NewEvent) -> Result<(), StateError> {
        self.state.journal.append(event).wait()?;
        Ok(())
    }
}
