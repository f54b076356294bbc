//! Calls about the journal.

use http::Method;

use super::{Client, ClientError, Transport};
use crate::journal::{JournalPage, JournalQuery, SignedCheckpoint, VerifiedJournal, VerifyRequest};

impl<T: Transport> Client<T> {
    /// Returns events of the journal.
    pub async fn journal(&self, query: &JournalQuery) -> Result<JournalPage, ClientError> {
        self.get(&format!("/v1/journal?{}", query.to_query())).await
    }

    /// Verifies every event, every stored hash and every checkpoint.
    pub async fn verify_journal(&self, request: &VerifyRequest) -> Result<VerifiedJournal, ClientError> {
        self.send(Method::POST, "/v1/journal/verify", request).await
    }

    /// Signs the current head of the journal.
    pub async fn checkpoint(&self) -> Result<SignedCheckpoint, ClientError> {
        self.post("/v1/journal/checkpoint").await
    }
}
