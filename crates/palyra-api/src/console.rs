//! The console: signing in with a one-time code, and the sessions that are open.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::SecretText;

/// The answer of `POST /console/codes`: a link that signs one browser in, once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignInLink {
    /// The page with the code in its fragment, which a browser sends to no server.
    pub url: String,
    /// When the code expires, in milliseconds of Unix time.
    pub expires_ms: u64,
    /// Whether the console is in this build; a page that says how to build it is served otherwise.
    pub console_built: bool,
}

/// The body of `POST /console/session`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignInRequest {
    /// The code from the link.
    pub code: SecretText,
}

/// The answer of `GET`, `POST` and `DELETE /console/session`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignedIn {
    /// Who is signed in.
    pub principal: String,
    /// When the session ends at the latest, as in `2026-01-31T12:00:00Z`.
    pub expires_at: String,
    /// When it ends without another request.
    pub idle_expires_at: String,
}

/// The answer of `GET /console/sessions`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConsoleSessionList {
    /// The open sessions, newest first.
    pub sessions: Vec<ConsoleSession>,
}

/// One browser that is signed in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConsoleSession {
    /// Its id; not its cookie.
    pub id: String,
    /// What the browser calls itself, escaped; any program can claim any name.
    pub user_agent: String,
    /// When it signed in, as in `2026-01-31T12:00:00Z`.
    pub created_at: String,
    /// When its last request came.
    pub last_used_at: String,
    /// When it ends at the latest.
    pub expires_at: String,
    /// When it ends without another request.
    pub idle_expires_at: String,
    /// Whether the request for this list came from it.
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
