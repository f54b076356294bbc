//! Sessions of older protocol revisions over HTTP, separated by token.

use palyra_common::ErrorCode;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderName, Method, Request, Response, StatusCode};
use http_body_util::Full;
use palyra_api::Problem;
use palyra_api::mcp::MAX_MESSAGE_BYTES;
use palyra_state::PrincipalId;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::caller::Identity;
use super::server::McpServer;
use crate::app::{App, until_stopping};

/// Maximum number of sessions per token.
const MAX_SESSIONS: usize = 64;

/// Header with the id of a session.
pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

/// The MCP service of one token.
type Service = StreamableHttpService<McpServer, LocalSessionManager>;

/// The sessions of all tokens; a token has no access to those of another.
#[derive(Default)]
pub(crate) struct McpSessions {
    by_token: Mutex<HashMap<PrincipalId, (Service, Arc<LocalSessionManager>)>>,
    ended: OnceLock<CancellationToken>,
}

impl McpSessions {
    /// Handles a request of this token; rejects one that would open too many sessions.
    pub(crate) async fn answer(
        &self,
        app: &Arc<App>,
        token: &PrincipalId,
        request: Request<Full<Bytes>>,
    ) -> Result<Response<Body>, Problem> {
        let begins = request.method() == Method::POST && !request.headers().contains_key(SESSION_ID);
        let (service, sessions) = self.of(app, token);
        if begins && sessions.sessions.read().await.len() >= MAX_SESSIONS {
            return Err(Problem::new(ErrorCode::TooManyStreams, "too many MCP sessions for this token"));
        }
        let ends = request.method() == Method::DELETE;
        let mut response = service.handle(request).await.map(Body::new);
        // The library reports the end of a session as accepted, but it has ended, and clients warn about other codes.
        if ends && response.status() == StatusCode::ACCEPTED {
            *response.status_mut() = StatusCode::NO_CONTENT;
            *response.body_mut() = Body::empty();
        }
        Ok(response)
    }

    /// Returns a token that is cancelled once the daemon stops and no call is in progress.
    pub(crate) fn ended(&self, app: &Arc<App>) -> CancellationToken {
        let begin = || {
            let ended = CancellationToken::new();
            let (token, mut stopping, app) = (ended.clone(), app.stopping(), Arc::downgrade(app));
            tokio::spawn(async move {
                until_stopping(&mut stopping).await;
                if let Some(app) = app.upgrade() {
                    app.drained().await;
                }
                token.cancel();
            });
            ended
        };
        self.ended.get_or_init(begin).clone()
    }

    fn of(&self, app: &Arc<App>, token: &PrincipalId) -> (Service, Arc<LocalSessionManager>) {
        let mut by_token = self.by_token.lock();
        if let Some(known) = by_token.get(token) {
            return known.clone();
        }
        // Sessions of removed tokens cannot be resumed.
        by_token.retain(|id, _| id.token.is_none_or(|token| app.tokens().find(&token).is_some()));
        let mut sessions = LocalSessionManager::default();
        // Sent answers are not kept for resuming clients, because they would accumulate for a minute.
        sessions.session_config.completed_cache_ttl = Duration::ZERO;
        let (weak, sessions) = (Arc::downgrade(app), Arc::new(sessions));
        let make = move || Ok(McpServer::new(weak.clone(), Identity::OfRequest));
        // `access.rs` has checked `Host` and `Origin` already, with names that are configured in one place.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_cancellation_token(self.ended(app))
            .with_max_request_body_bytes(MAX_MESSAGE_BYTES);
        let service = StreamableHttpService::new(make, Arc::clone(&sessions), config);
        by_token.entry(token.clone()).or_insert((service, sessions)).clone()
    }
}
