//! The principal of an MCP message.

use std::net::IpAddr;
use std::sync::Arc;

use palyra_api::Problem;
use palyra_common::{ErrorCode, Principal, Scope};
use palyra_policy::{Action, Face, Resource};
use rmcp::model::Extensions;
use zeroize::Zeroizing;

use super::sessions::SESSION_ID;
use crate::app::App;
use crate::budget::Reservation;
use crate::policy::missing_scope;
use crate::problem::ToProblem;
use crate::transport::http::{Arrival, RequestId};

/// The principal of a message, and where the message comes from.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) principal: Arc<Principal>,
    pub(super) request_id: Arc<str>,
    pub(super) from: Option<IpAddr>,
    /// Session that approvals of a session cover.
    pub(super) session: Option<String>,
}

/// The connection between messages and authentication.
pub(super) enum Identity {
    /// Each message is a separately authenticated request.
    OfRequest,
    /// All messages come over one request, whose token is checked again for each message.
    StdioClient(StdioClient),
}

/// A request that contains many messages.
pub(crate) struct StdioClient {
    /// Token of the request.
    pub(crate) token: Zeroizing<String>,
    /// Id of the request.
    pub(crate) request_id: Arc<str>,
    /// Address of the client.
    pub(crate) from: Option<IpAddr>,
}

impl Identity {
    /// Returns the authenticated caller of a message.
    pub(super) fn caller(&self, app: &App, extensions: &Extensions) -> Result<Caller, Problem> {
        match self {
            Self::OfRequest => of_request(extensions),
            Self::StdioClient(client) => client.caller(app),
        }
    }
}

/// Charges an answer to the budget of its request until the client has read it.
pub(super) fn hold_answer(extensions: &Extensions, bytes: usize) {
    let of_http = || extensions.get::<http::request::Parts>()?.extensions.get::<Reservation>();
    if let Some(reservation) = extensions.get::<Reservation>().or_else(of_http) {
        reservation.set(bytes);
    }
}

fn of_request(extensions: &Extensions) -> Result<Caller, Problem> {
    let unauthenticated = || Problem::new(ErrorCode::Internal, "a request reached a handler unauthenticated");
    let parts = extensions.get::<http::request::Parts>().ok_or_else(unauthenticated)?;
    let principal = parts.extensions.get::<Arc<Principal>>().cloned().ok_or_else(unauthenticated)?;
    let request_id =
        parts.extensions.get::<RequestId>().map_or_else(|| Arc::from(""), |id| Arc::clone(&id.0));
    let session = parts.headers.get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
    let from = parts.extensions.get::<Arrival>().and_then(Arrival::address);
    Ok(Caller { principal, request_id, from, session })
}

impl StdioClient {
    fn caller(&self, app: &App) -> Result<Caller, Problem> {
        let known = app.access().recognise(app.state(), &self.token, Face::Mcp);
        let principal = known.ok_or_else(|| {
            Problem::new(ErrorCode::Authentication, "the token is no longer valid")
                .hint("list the tokens with `palyra tokens list`")
        })?;
        let authorizer = app.authorizer();
        if !principal.may(Scope::Read) {
            return Err(missing_scope(&authorizer, &principal, Scope::Read, Action::Read, Resource::Daemon));
        }
        let decision = authorizer.decide(&principal, Action::Read, Resource::Daemon);
        if !decision.allowed {
            return Err(decision.to_problem());
        }
        let (request_id, from) = (Arc::clone(&self.request_id), self.from);
        let principal = Arc::new(principal);
        Ok(Caller { principal, session: Some(request_id.to_string()), request_id, from })
    }
}
