//! Calls about trust.

use http::Method;

use super::{Client, ClientError, Transport, segment};
use crate::trust::{
    Allowed, AppliedStatement, BlockRequest, BuilderRequest, KeysRequest, Publisher, PublisherInfo, TrustList,
};

impl<T: Transport> Client<T> {
    /// Returns publishers, feeds, builders and revocations.
    pub async fn trust(&self) -> Result<TrustList, ClientError> {
        self.get("/v1/trust").await
    }

    /// Returns a publisher in the trust store.
    pub async fn publisher(&self, publisher: &str) -> Result<PublisherInfo, ClientError> {
        self.get(&path(publisher, "")).await
    }

    /// Trusts a publisher with these keys.
    pub async fn allow_publisher(&self, publisher: &str, keys: &KeysRequest) -> Result<Allowed, ClientError> {
        self.send(Method::PUT, &path(publisher, ""), keys).await
    }

    /// Follows a revocation feed with these keys.
    pub async fn follow_feed(&self, feed: &str, keys: &KeysRequest) -> Result<Allowed, ClientError> {
        self.send(Method::PUT, &format!("/v1/trust/feeds/{}", segment(feed)), keys).await
    }

    /// Trusts a builder's provenance statements.
    pub async fn allow_builder(
        &self,
        builder: &str,
        request: &BuilderRequest,
    ) -> Result<Allowed, ClientError> {
        self.send(Method::PUT, &format!("/v1/trust/builders/{}", segment(builder)), request).await
    }

    /// Blocks a publisher: none of its releases is accepted.
    pub async fn block_publisher(&self, publisher: &str, reason: &str) -> Result<Publisher, ClientError> {
        let request = BlockRequest { reason: reason.to_owned() };
        self.send(Method::POST, &path(publisher, "/block"), &request).await
    }

    /// Unblocks a publisher.
    pub async fn unblock_publisher(&self, publisher: &str) -> Result<Publisher, ClientError> {
        self.post(&path(publisher, "/unblock")).await
    }

    /// Replaces the pinned keys of a publisher without a statement signed by it.
    pub async fn repin_publisher(
        &self,
        publisher: &str,
        keys: &KeysRequest,
    ) -> Result<Publisher, ClientError> {
        self.send(Method::POST, &path(publisher, "/repin"), keys).await
    }

    /// Applies a signed statement, with its bytes as published.
    pub async fn apply_statement(&self, statement: Vec<u8>) -> Result<AppliedStatement, ClientError> {
        self.send_json(Method::POST, "/v1/trust/statements", statement).await
    }

    /// Returns the events in the journal about the keys of a publisher.
    pub async fn publisher_history(
        &self,
        publisher: &str,
    ) -> Result<crate::trust::PublisherHistory, ClientError> {
        self.get(&format!("/v1/trust/publishers/{}/history", segment(publisher))).await
    }
}

fn path(publisher: &str, rest: &str) -> String {
    format!("/v1/trust/publishers/{}{rest}", segment(publisher))
}
