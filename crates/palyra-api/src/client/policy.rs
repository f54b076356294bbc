//! Calls about the access policy.

use http::Method;

use super::{Client, ClientError, Transport};
use crate::policy::{AccessPolicy, PolicyAnswer, PolicyChange, PolicyQuestion, PolicyReset};

impl<T: Transport> Client<T> {
    /// The policy in force.
    pub async fn policy(&self) -> Result<AccessPolicy, ClientError> {
        self.get("/v1/policy").await
    }

    /// Replaces the policy.
    pub async fn set_policy(&self, change: &PolicyChange) -> Result<AccessPolicy, ClientError> {
        self.send(Method::PUT, "/v1/policy", change).await
    }

    /// Restores the default.
    pub async fn reset_policy(&self) -> Result<PolicyReset, ClientError> {
        self.delete("/v1/policy").await
    }

    /// Whether something would be allowed, and why.
    pub async fn check_policy(&self, question: &PolicyQuestion) -> Result<PolicyAnswer, ClientError> {
        self.send(Method::POST, "/v1/policy/check", question).await
    }
}
