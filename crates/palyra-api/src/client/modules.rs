//! Calls of modules that are no installed skill.

use http::Method;

use super::{Client, ClientError, Transport};
use crate::modules::RunModuleRequest;
use crate::tools::InvokeAnswer;

impl<T: Transport> Client<T> {
    /// Runs an inline module, if the runner policy permits it.
    pub async fn run_module(&self, request: &RunModuleRequest) -> Result<InvokeAnswer, ClientError> {
        self.send(Method::POST, "/v1/modules/run", request).await
    }
}
