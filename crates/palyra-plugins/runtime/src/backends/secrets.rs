//! Secrets: values by name.

use super::BackendError;
use async_trait::async_trait;
use palyra_common::SecretValue;
use palyra_common::capabilities::SecretRef;
use std::collections::BTreeMap;

/// Gives the value of a secret.
#[async_trait]
pub trait SecretStore: Send + Sync {
    /// The value, or `None` when no such secret is kept.
    async fn get(&self, secret: &SecretRef) -> Result<Option<SecretValue>, BackendError>;
}

/// Secrets given once, for tests and one-shot runs.
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
