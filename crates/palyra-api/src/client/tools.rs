//! Calls about tools, and calls of tools.

use http::Method;

use super::{Client, ClientError, Transport, segment};
use crate::tools::{Alias, AliasRequest, InvokeAnswer, InvokeRequest, ToolInfo, ToolList};

impl<T: Transport> Client<T> {
    /// Returns every tool of every installed skill.
    pub async fn tools(&self) -> Result<ToolList, ClientError> {
        self.get("/v1/tools").await
    }

    /// Searches tools; best matches first.
    pub async fn search_tools(&self, words: &str, limit: u16) -> Result<ToolList, ClientError> {
        self.get(&format!("/v1/tools?search={}&limit={limit}", segment(words))).await
    }

    /// Returns one tool, by id, name for models or alias.
    pub async fn tool(&self, tool: &str) -> Result<ToolInfo, ClientError> {
        self.get(&format!("/v1/tools/{}", segment(tool))).await
    }

    /// Sets an alias of a tool.
    pub async fn set_alias(&self, alias: &str, tool: &str) -> Result<Alias, ClientError> {
        let request = AliasRequest { tool: tool.to_owned() };
        self.send(Method::PUT, &format!("/v1/aliases/{}", segment(alias)), &request).await
    }

    /// Removes an alias.
    pub async fn remove_alias(&self, alias: &str) -> Result<Alias, ClientError> {
        self.delete(&format!("/v1/aliases/{}", segment(alias))).await
    }

    /// Calls a tool.
    pub async fn invoke(&self, tool: &str, request: &InvokeRequest) -> Result<InvokeAnswer, ClientError> {
        self.send(Method::POST, &format!("/v1/tools/{}/invoke", segment(tool)), request).await
    }
}
