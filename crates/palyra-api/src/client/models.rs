//! Calls about models.

use http::Method;

use super::{Client, ClientError, Transport, segment};
use crate::models::{AddModelRequest, Model, ModelList, ModelTest};

impl<T: Transport> Client<T> {
    /// Returns every model.
    pub async fn models(&self) -> Result<ModelList, ClientError> {
        self.get("/v1/models").await
    }

    /// Returns one model.
    pub async fn model(&self, name: &str) -> Result<Model, ClientError> {
        self.get(&path(name, "")).await
    }

    /// Adds a model.
    pub async fn add_model(&self, request: &AddModelRequest) -> Result<Model, ClientError> {
        self.send(Method::POST, "/v1/models", request).await
    }

    /// Removes a model.
    pub async fn remove_model(&self, name: &str) -> Result<Model, ClientError> {
        self.delete(&path(name, "")).await
    }

    /// Sets the default model.
    pub async fn set_default_model(&self, name: &str) -> Result<Model, ClientError> {
        self.post(&path(name, "/default")).await
    }

    /// Tests a model with two short requests.
    pub async fn test_model(&self, name: &str) -> Result<ModelTest, ClientError> {
        self.post(&path(name, "/test")).await
    }
}

fn path(name: &str, rest: &str) -> String {
    format!("/v1/models/{}{rest}", segment(name))
}
