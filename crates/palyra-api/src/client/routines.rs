//! Calls about routines.

use http::Method;

use super::query::Pairs;
use super::{Client, ClientError, Transport, segment};
use crate::routines::{Fire, FireList, RemovedName, Routine, RoutineList, RoutineRequest};

impl<T: Transport> Client<T> {
    /// Returns every routine.
    pub async fn routines(&self) -> Result<RoutineList, ClientError> {
        self.get("/v1/routines").await
    }

    /// Returns one routine.
    pub async fn routine(&self, name: &str) -> Result<Routine, ClientError> {
        self.get(&format!("/v1/routines/{}", segment(name))).await
    }

    /// Creates or changes a routine.
    pub async fn add_routine(&self, request: &RoutineRequest) -> Result<Routine, ClientError> {
        self.send(Method::POST, "/v1/routines", request).await
    }

    /// Enables a routine.
    pub async fn enable_routine(&self, name: &str) -> Result<Routine, ClientError> {
        self.post(&format!("/v1/routines/{}/enable", segment(name))).await
    }

    /// Disables a routine.
    pub async fn disable_routine(&self, name: &str) -> Result<Routine, ClientError> {
        self.post(&format!("/v1/routines/{}/disable", segment(name))).await
    }

    /// Fires a routine now, and waits until it has ended.
    pub async fn fire_routine(&self, name: &str) -> Result<Fire, ClientError> {
        self.post(&format!("/v1/routines/{}/fire", segment(name))).await
    }

    /// Returns the fires of a routine, newest first.
    pub async fn fires(
        &self,
        name: &str,
        before: Option<u64>,
        limit: Option<u16>,
    ) -> Result<FireList, ClientError> {
        let pairs = Pairs::default().with("before", before).with("limit", limit);
        self.get(&pairs.after(&format!("/v1/routines/{}/fires", segment(name)))).await
    }

    /// Removes a routine.
    pub async fn remove_routine(&self, name: &str) -> Result<RemovedName, ClientError> {
        self.delete(&format!("/v1/routines/{}", segment(name))).await
    }
}
