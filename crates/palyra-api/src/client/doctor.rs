//! Calls for `palyra doctor`.

use super::{Client, ClientError, Transport};
use crate::doctor::StateChecks;

impl<T: Transport> Client<T> {
    /// Returns the checks of the state that the daemon has open.
    pub async fn check_state(&self) -> Result<StateChecks, ClientError> {
        self.post("/v1/doctor").await
    }
}
