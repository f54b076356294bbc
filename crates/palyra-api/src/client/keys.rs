//! Calls about signing keys.

use http::Method;

use super::{Client, ClientError, Transport, segment};
use crate::keys::{
    ImportKeyRequest, KeyList, NewKeyRequest, ReleaseSignature, RevokeKeyRequest, RevokedKey, RotateRequest,
    Rotation, SealKeyRequest, SealedKey, SignReleaseRequest, SigningKey, Succession,
};

impl<T: Transport> Client<T> {
    /// Returns every signing key.
    pub async fn keys(&self) -> Result<KeyList, ClientError> {
        self.get("/v1/keys").await
    }

    /// Returns the public half of a key.
    pub async fn key(&self, name: &str) -> Result<SigningKey, ClientError> {
        self.get(&path(name, "")).await
    }

    /// Creates a signing key.
    pub async fn new_key(&self, name: &str) -> Result<SigningKey, ClientError> {
        self.send(Method::POST, "/v1/keys", &NewKeyRequest { name: name.to_owned() }).await
    }

    /// Imports a key from a sealed key file.
    pub async fn import_key(
        &self,
        name: &str,
        request: &ImportKeyRequest,
    ) -> Result<SigningKey, ClientError> {
        self.send(Method::POST, &path(name, "/import"), request).await
    }

    /// Seals a key with a passphrase; only permitted to the owner on the same machine.
    pub async fn seal_key(&self, name: &str, request: &SealKeyRequest) -> Result<SealedKey, ClientError> {
        self.send(Method::POST, &path(name, "/seal"), request).await
    }

    /// Signs a rotation from keys of a publisher to others; the same request returns the same statement again.
    pub async fn rotate_keys(
        &self,
        publisher: &str,
        request: &RotateRequest,
    ) -> Result<Rotation, ClientError> {
        let path = format!("/v1/trust/publishers/{}/rotate", segment(publisher));
        self.send(Method::POST, &path, request).await
    }

    /// Signs the statement of a release with a key of the vault.
    pub async fn sign_release(
        &self,
        name: &str,
        request: &SignReleaseRequest,
    ) -> Result<ReleaseSignature, ClientError> {
        self.send(Method::POST, &path(name, "/sign"), request).await
    }

    /// Returns the statements about keys that the next release of a publisher must contain.
    pub async fn succession(&self, publisher: &str) -> Result<Succession, ClientError> {
        self.get(&format!("/v1/trust/publishers/{}/succession", segment(publisher))).await
    }

    /// Revokes a key permanently.
    pub async fn revoke_key(
        &self,
        name: &str,
        request: &RevokeKeyRequest,
    ) -> Result<RevokedKey, ClientError> {
        self.send(Method::POST, &path(name, "/revoke"), request).await
    }
}

fn path(name: &str, rest: &str) -> String {
    format!("/v1/keys/{}{rest}", segment(name))
}
