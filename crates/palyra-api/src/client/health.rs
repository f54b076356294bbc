//! Calls about the daemon itself.

use super::{Client, ClientError, Transport};
use crate::daemon::Stopping;
use crate::health::Health;

impl<T: Transport> Client<T> {
    /// Whether the daemon is there, and what it is.
    pub async fn health(&self) -> Result<Health, ClientError> {
        self.get("/v1/health").await
    }

    /// Tells the daemon to stop.
    pub async fn stop(&self) -> Result<Stopping, ClientError> {
        self.post("/v1/daemon/stop").await
    }
}
