//! Calls about the daemon itself.

use super::{Client, ClientError, Transport};
use crate::daemon::Stopping;
use crate::health::Health;

impl<T: Transport> Client<T> {
    /// Returns the version of the daemon, if it is reachable.
    pub async fn health(&self) -> Result<Health, ClientError> {
        self.get("/v1/health").await
    }

    /// Requests a shutdown of the daemon.
    pub async fn stop(&self) -> Result<Stopping, ClientError> {
        self.post("/v1/daemon/stop").await
    }
}
