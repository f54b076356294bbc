//! What every run is under.

use http::Method;

use super::{Client, ClientError, Transport};
use crate::runner_policy::{RunnerPolicyChange, RunnerPolicyShown};

const PATH: &str = "/v1/runner-policy";

impl<T: Transport> Client<T> {
    /// The policy every run is under.
    pub async fn runner_policy(&self) -> Result<RunnerPolicyShown, ClientError> {
        self.get(PATH).await
    }

    /// Replaces the policy.
    pub async fn set_runner_policy(
        &self,
        change: &RunnerPolicyChange,
    ) -> Result<RunnerPolicyShown, ClientError> {
        self.send(Method::PUT, PATH, change).await
    }

    /// Restores the default.
    pub async fn reset_runner_policy(&self) -> Result<RunnerPolicyShown, ClientError> {
        self.delete(PATH).await
    }
}
