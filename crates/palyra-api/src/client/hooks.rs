//! Calls about hooks.

use http::Method;

use super::query::Pairs;
use super::{Client, ClientError, Transport, segment};
use crate::hooks::{
    ApplyRequest, BindRequest, DeadLetter, DeadLetterList, HookBinding, HookList, HookTest, TestRequest,
};

impl<T: Transport> Client<T> {
    /// Returns every binding, and how the bindings file differs.
    pub async fn hooks(&self) -> Result<HookList, ClientError> {
        self.get("/v1/hooks").await
    }

    /// Returns one binding.
    pub async fn hook(&self, id: &str) -> Result<HookBinding, ClientError> {
        self.get(&path(id, "")).await
    }

    /// Binds a hook to an event.
    pub async fn bind_hook(&self, request: &BindRequest) -> Result<HookBinding, ClientError> {
        self.send(Method::POST, "/v1/hooks", request).await
    }

    /// Removes a binding.
    pub async fn unbind_hook(&self, id: &str) -> Result<HookBinding, ClientError> {
        self.delete(&path(id, "")).await
    }

    /// Enables or disables a binding.
    pub async fn switch_hook(&self, id: &str, enabled: bool) -> Result<HookBinding, ClientError> {
        let verb = if enabled { "/enable" } else { "/disable" };
        self.post(&path(id, verb)).await
    }

    /// Runs a hook with a sample event; returns its decision.
    pub async fn test_hook(&self, id: &str, request: &TestRequest) -> Result<HookTest, ClientError> {
        self.send(Method::POST, &path(id, "/test"), request).await
    }

    /// Applies the bindings file, or rewrites it from the bindings in effect.
    pub async fn apply_hooks(&self, request: &ApplyRequest) -> Result<HookList, ClientError> {
        self.send(Method::POST, "/v1/hooks/apply", request).await
    }

    /// Returns the dead letters of observers.
    pub async fn dead_letters(
        &self,
        binding: Option<&str>,
        limit: Option<u16>,
    ) -> Result<DeadLetterList, ClientError> {
        let pairs = Pairs::default().with("binding", binding).with("limit", limit);
        self.get(&pairs.after("/v1/hooks/dead-letters")).await
    }

    /// Retries the delivery of a dead letter to its observer.
    pub async fn retry_dead_letter(&self, letter: u64) -> Result<HookTest, ClientError> {
        self.post(&format!("/v1/hooks/dead-letters/{letter}/retry")).await
    }

    /// Drops a dead letter of an observer permanently.
    pub async fn drop_dead_letter(&self, letter: u64) -> Result<DeadLetter, ClientError> {
        self.delete(&format!("/v1/hooks/dead-letters/{letter}")).await
    }
}

fn path(id: &str, rest: &str) -> String {
    format!("/v1/hooks/bindings/{}{rest}", segment(id))
}
