//! Calls about the console.

use super::{Client, ClientError, Transport, segment};
use crate::console::{ConsoleSession, ConsoleSessionList, SignInLink};

impl<T: Transport> Client<T> {
    /// Creates a link that signs one browser in.
    pub async fn sign_in_link(&self) -> Result<SignInLink, ClientError> {
        self.post("/console/codes").await
    }

    /// Returns the signed-in browsers.
    pub async fn console_sessions(&self) -> Result<ConsoleSessionList, ClientError> {
        self.get("/console/sessions").await
    }

    /// Revokes the session of a browser.
    pub async fn revoke_console_session(&self, session_id: &str) -> Result<ConsoleSession, ClientError> {
        self.delete(&format!("/console/sessions/{}", segment(session_id))).await
    }
}
