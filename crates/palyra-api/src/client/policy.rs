//! Calls about the access policy.

use http::Method;

use super::{Client, ClientError, Transport};
use crate::policy::{AccessPolicy, PolicyAnswer, PolicyChange, PolicyQuestion, PolicyReset};

impl<T: Transport> Client<T> {
    /// Returns the access policy in effect.
    pub async fn policy(&self) -> Result<AccessPolicy, ClientError> {
        self.get("/v1/policy").await
    }

    /// Replaces the access policy.
    pub async fn set_policy(&self, change: &PolicyChange) -> Result<AccessPolicy, ClientError> {
        self.send(Method::PUT, "/v1/policy", change).await
    }

    /// Resets the access policy to the default.
    pub async fn reset_policy(&self) -> Result<PolicyReset, ClientError> {
        self.delete("/v1/policy").await
    }

    /// Evaluates the access policy for a question; returns the decision with its rules.
    pub async fn check_policy(&self, question: &PolicyQuestion) -> Result<PolicyAnswer, ClientError> {
        self.send(Method::POST, "/v1/policy/check", question).await
    }
}
