//! Secrets: values by name.

use super::BackendError;
use async_trait::async_trait;
use palyra_common::SecretValue;
use palyra_common::capabilities::SecretRef;
use std::collections::BTreeMap;

/// Source of secret values.
#[async_trait]
pub trait SecretStore: Send + Sync {
    /// Returns the value, or `None` if the secret is not stored.
    async fn get(&self, secret: &SecretRef) -> Result<Option<SecretValue>, BackendError>;
}

/// Secrets in memory, for tests and one-shot runs.
#[derive(Debug, Default)]
pub struct MemorySecrets(BTreeMap<SecretRef, SecretValue>);

impl FromIterator<(SecretRef, SecretValue)> for MemorySecrets {
    fn from_iter<I: IntoIterator<Item = (SecretRef, SecretValue)>>(secrets: I) -> Self {
        Self(secrets.into_iter().collect())
    }
}

#[async_trait]
impl SecretStore for MemorySecrets {
    async fn get(&self, secret: &SecretRef) -> Result<Option<SecretValue>, BackendError> {
        Ok(self.0.get(secret).cloned())
    }
}
