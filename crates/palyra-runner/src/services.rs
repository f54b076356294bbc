//! Backends of a guest's host calls: secrets from the vault, storage in `storage.db`, channels in the journal's
//! database.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use palyra_common::SecretValue;
use palyra_common::capabilities::SecretRef;
use palyra_plugins_runtime::{
    BackendError, ChannelMessage, ChannelSink, SecretStore, StorageBackend, StorageQuota,
};
use palyra_state::State;
use palyra_state::runs::{RunRegistry, channel_line};
use palyra_state::storage::{Allowance, StorageDatabase, StorageError};
use palyra_vault::Vault;
use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Secrets from the vault, decrypted for each run.
pub(super) struct VaultSecrets(pub(super) Arc<Vault>);

#[async_trait]
impl SecretStore for VaultSecrets {
    async fn get(&self, secret: &SecretRef) -> Result<Option<SecretValue>, BackendError> {
        let (vault, secret) = (Arc::clone(&self.0), secret.clone());
        // The error names the secret and the file, never a value.
        blocking(move || {
            vault.secrets().get(&secret).map_err(|error| BackendError::Unavailable(error.to_string()))
        })
        .await
    }
}

/// The key-value storage of skills, with one concurrent write per skill.
pub(super) struct SkillStorage {
    database: Arc<StorageDatabase>,
    permits: Mutex<HashMap<String, Arc<Semaphore>>>,
}

impl SkillStorage {
    pub(super) fn new(database: Arc<StorageDatabase>) -> Self {
        Self { database, permits: Mutex::default() }
    }

    /// Waits for the skill's permit, so that a skill that writes continuously delays only itself.
    async fn permit(&self, owner: &str) -> Result<OwnedSemaphorePermit, BackendError> {
        let permits = {
            let mut permits = self.permits.lock();
            Arc::clone(permits.entry(owner.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(1))))
        };
        permits.acquire_owned().await.map_err(|error| BackendError::Unavailable(error.to_string()))
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&StorageDatabase) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, BackendError> {
        let database = Arc::clone(&self.database);
        blocking(move || work(&database).map_err(BackendError::from)).await
    }
}

#[async_trait]
impl StorageBackend for SkillStorage {
    async fn get(&self, owner: &str, key: &str) -> Result<Option<Vec<u8>>, BackendError> {
        let (owner, key) = (owner.to_owned(), key.to_owned());
        self.run(move |database| database.get(&owner, &key)).await
    }

    async fn put(
        &self,
        owner: &str,
        key: &str,
        value: Vec<u8>,
        quota: &StorageQuota,
    ) -> Result<(), BackendError> {
        let _permit = self.permit(owner).await?;
        let (owner, key, quota) = (owner.to_owned(), key.to_owned(), quota.clone());
        self.run(move |database| {
            let StorageQuota { prefix, max_bytes, max_keys } = &quota;
            let allowance = Allowance { prefix, max_bytes: *max_bytes, max_keys: *max_keys };
            database.put(&owner, &key, &value, &allowance)
        })
        .await
    }

    async fn delete(&self, owner: &str, key: &str) -> Result<bool, BackendError> {
        let _permit = self.permit(owner).await?;
        let (owner, key) = (owner.to_owned(), key.to_owned());
        self.run(move |database| database.delete(&owner, &key)).await
    }

    async fn list(
        &self,
        owner: &str,
        prefix: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<String>, BackendError> {
        let (owner, prefix, after) = (owner.to_owned(), prefix.to_owned(), after.map(str::to_owned));
        self.run(move |database| database.list(&owner, &prefix, after.as_deref(), limit)).await
    }
}

/// Publishes messages of runs to their channel and adds them to the output of the run.
pub(super) struct RunChannels {
    running: Arc<RunRegistry>,
    state: Arc<State>,
}

impl RunChannels {
    pub(super) fn new(state: Arc<State>) -> Self {
        Self { running: Arc::clone(state.runs().registry()), state }
    }
}

#[async_trait]
impl ChannelSink for RunChannels {
    /// Commits a message to a defined channel before the guest continues; any other is only stored with its run.
    async fn publish(&self, message: ChannelMessage) -> Result<(), BackendError> {
        let defined = self
            .state
            .channels()
            .list()
            .get(message.channel.as_str())
            .map(|channel| channel.kind.is_delivered());
        if let Some(is_delivered) = defined {
            let written = palyra_state::channels::publish(&self.state, &message, is_delivered).await;
            if written.map_err(|error| BackendError::Unavailable(error.to_string()))?.is_none() {
                return Err(BackendError::Unavailable("too many messages of the channel are pending".into()));
            }
        }
        self.running.tell_line(&message.run_id, || channel_line(&message));
        Ok(())
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackendError> + Send + 'static,
) -> Result<T, BackendError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| BackendError::Unavailable(error.to_string()))?
}
