//! Calls about secrets.

use http::Method;
use palyra_common::capabilities::SecretRef;

use super::{Client, ClientError, Transport, segment};
use crate::vault::{PutSecretAnswer, PutSecretRequest, RemovedSecret, SecretList};

impl<T: Transport> Client<T> {
    /// Returns the names of all secrets.
    pub async fn secrets(&self) -> Result<SecretList, ClientError> {
        self.get("/v1/vault").await
    }

    /// Stores or replaces a secret.
    pub async fn put_secret(
        &self,
        secret: &SecretRef,
        request: &PutSecretRequest,
    ) -> Result<PutSecretAnswer, ClientError> {
        self.send(Method::PUT, &path(secret), request).await
    }

    /// Removes a secret.
    pub async fn remove_secret(&self, secret: &SecretRef) -> Result<RemovedSecret, ClientError> {
        self.delete(&path(secret)).await
    }
}

fn path(secret: &SecretRef) -> String {
    format!("/v1/vault/{}/{}", segment(&secret.scope.to_string()), segment(&secret.key))
}
