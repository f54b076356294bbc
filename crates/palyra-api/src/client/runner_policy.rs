//! Calls about the runner policy, which limits every run.

use http::Method;

use super::{Client, ClientError, Transport};
use crate::runner_policy::{RunnerPolicyChange, RunnerPolicyShown};

const PATH: &str = "/v1/runner-policy";

impl<T: Transport> Client<T> {
    /// Returns the runner policy in effect.
    pub async fn runner_policy(&self) -> Result<RunnerPolicyShown, ClientError> {
        self.get(PATH).await
    }

    /// Replaces the runner policy.
    pub async fn set_runner_policy(
        &self,
        change: &RunnerPolicyChange,
    ) -> Result<RunnerPolicyShown, ClientError> {
        self.send(Method::PUT, PATH, change).await
    }

    /// Resets the runner policy to the default.
    pub async fn reset_runner_policy(&self) -> Result<RunnerPolicyShown, ClientError> {
        self.delete(PATH).await
    }
}
