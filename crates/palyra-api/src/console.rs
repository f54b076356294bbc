//! The console: signing in with a one-time code, and the sessions that are open.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::SecretText;

/// Response of `POST /console/codes`: a link that signs one browser in, once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignInLink {
    /// The URL of the page with the code in its fragment, which browsers never send to a server.
    pub url: String,
    /// Expiry of the code, in Unix milliseconds.
    pub expires_ms: u64,
    /// Whether this build contains the console; otherwise a page with build instructions is served.
    pub console_built: bool,
}

/// Request body of `POST /console/session`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignInRequest {
    /// The code from the link.
    pub code: SecretText,
}

/// Response of `GET`, `POST` and `DELETE /console/session`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignedIn {
    /// The signed-in principal.
    pub principal: String,
    /// Latest end of the session, for example `2026-01-31T12:00:00Z`.
    pub expires_at: String,
    /// End without further requests.
    pub idle_expires_at: String,
}

/// Response of `GET /console/sessions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConsoleSessionList {
    /// The open sessions, newest first.
    pub sessions: Vec<ConsoleSession>,
}

/// One console session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConsoleSession {
    /// Its id; not its cookie.
    pub id: String,
    /// User agent of the browser, escaped and not verified.
    pub user_agent: String,
    /// Sign-in time, for example `2026-01-31T12:00:00Z`.
    pub created_at: String,
    /// Time of its last request.
    pub last_used_at: String,
    /// Latest end.
    pub expires_at: String,
    /// End without further requests.
    pub idle_expires_at: String,
    /// Whether it is the current session.
    pub current: bool,
}

impl std::fmt::Debug for SignInLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { url: _, expires_ms, console_built } = self;
        f.debug_struct("SignInLink")
            .field("url", &"****")
            .field("expires_ms", expires_ms)
            .field("console_built", console_built)
            .finish()
    }
}
