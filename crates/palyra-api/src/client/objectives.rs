//! Calls about objectives.

use http::Method;

use super::{Client, ClientError, Transport, segment};
use crate::objectives::{Objective, ObjectiveList, ObjectiveRequest};
use crate::routines::RemovedName;

impl<T: Transport> Client<T> {
    /// Returns every objective.
    pub async fn objectives(&self) -> Result<ObjectiveList, ClientError> {
        self.get("/v1/objectives").await
    }

    /// Returns one objective.
    pub async fn objective(&self, name: &str) -> Result<Objective, ClientError> {
        self.get(&format!("/v1/objectives/{}", segment(name))).await
    }

    /// Creates an objective.
    pub async fn add_objective(&self, request: &ObjectiveRequest) -> Result<Objective, ClientError> {
        self.send(Method::POST, "/v1/objectives", request).await
    }

    /// Pauses an objective: its routines do not fire.
    pub async fn pause_objective(&self, name: &str) -> Result<Objective, ClientError> {
        self.turn_objective(name, "pause").await
    }

    /// Resumes a paused objective.
    pub async fn resume_objective(&self, name: &str) -> Result<Objective, ClientError> {
        self.turn_objective(name, "resume").await
    }

    /// Marks the goal of an objective as reached.
    pub async fn finish_objective(&self, name: &str) -> Result<Objective, ClientError> {
        self.turn_objective(name, "done").await
    }

    /// Removes an objective; fails while a routine is charged to it.
    pub async fn remove_objective(&self, name: &str) -> Result<RemovedName, ClientError> {
        self.delete(&format!("/v1/objectives/{}", segment(name))).await
    }

    async fn turn_objective(&self, name: &str, verb: &str) -> Result<Objective, ClientError> {
        let path = format!("/v1/objectives/{}/{verb}", segment(name));
        self.post(&path).await
    }
}
