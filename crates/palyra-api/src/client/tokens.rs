//! Calls about tokens.

use http::Method;

use super::{Client, ClientError, Transport, segment};
use crate::tokens::{NewToken, NewTokenRequest, Token, TokenList};

impl<T: Transport> Client<T> {
    /// Returns every token.
    pub async fn tokens(&self) -> Result<TokenList, ClientError> {
        self.get("/v1/tokens").await
    }

    /// Creates a token; only this response contains its secret.
    pub async fn add_token(&self, request: &NewTokenRequest) -> Result<NewToken, ClientError> {
        self.send(Method::POST, "/v1/tokens", request).await
    }

    /// Removes a token.
    pub async fn remove_token(&self, name: &str) -> Result<Token, ClientError> {
        self.delete(&format!("/v1/tokens/{}", segment(name))).await
    }
}
