//! Admission of HTTP requests: host name, origin of the page, token and scopes.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::path::RawPathParams;
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{AUTHORIZATION, CACHE_CONTROL, HOST, ORIGIN, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri};
use palyra_api::Problem;
use palyra_common::{ErrorCode, Principal, Scope};
use palyra_journal::{EventKind, NewEvent};
use palyra_policy::{Action, Face, Resource, ResourceKind};
use palyra_state::authorizer;
use serde_json::json;
use tracing::Instrument;

use super::answer::{AttachedProblem, Failure, write_problem};
use super::body::{hear_out, hold_answer};
use super::route::Route;
use super::session_body::end_with_session;
use super::sse::EVENT_STREAM;
use super::telemetry::Watched;
use super::{cookie, pages, router};
use crate::access::Refused;
use crate::app::App;
use crate::console::LiveSession;
use crate::problem::ToProblem;
use crate::traces::RequestSpan;
use crate::transport::connection_state::ConnectionState;
use crate::{denials, policy};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The name of unauthenticated requests in the memory budget and in the journal.
const ANONYMOUS: &str = "anonymous";

/// The listener a request arrived at. Set by the listener or this process, never by the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// From a command that owns the state.
    InProcess,
    /// Over the Unix socket, from a process of the same user.
    Socket,
    /// Over TCP from this address.
    Tcp(IpAddr),
    /// Over gRPC, which forwards requests with the token of the call.
    Grpc(IpAddr),
}

impl Arrival {
    /// Returns the address of the client, if the request came over the network.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        match self {
            Self::Tcp(address) | Self::Grpc(address) => Some(*address),
            Self::InProcess | Self::Socket => None,
        }
    }
}

/// Id of a request in the log, in problems and in the journal.
#[derive(Debug, Clone)]
pub(crate) struct RequestId(pub(crate) Arc<str>);

/// Requirements of a route.
#[derive(Debug, Clone, Copy)]
pub(super) struct Needs {
    pub(super) scope: Scope,
    also: Option<Scope>,
    pub(super) body_limit: usize,
    public: bool,
    streams: bool,
    face: Option<Face>,
    action: Action,
    pipeline_authorizes: bool,
    about: (ResourceKind, Option<&'static str>),
}

impl Needs {
    pub(super) fn of(route: &Route) -> Self {
        let Route { scope, also, body_limit, public, face, action, pipeline_authorizes, .. } = *route;
        let pipeline_authorizes = pipeline_authorizes || policy::is_authorized_by_pipeline(action);
        let (streams, about) = (route.answers_type == Some(EVENT_STREAM), route.about());
        Self { scope, also, body_limit, public, streams, face, action, pipeline_authorizes, about }
    }

    fn resource(&self, app: &App, names: Option<&RawPathParams>) -> Resource {
        let (kind, part) = self.about;
        let mut names = names.into_iter().flatten();
        let name = part.and_then(|part| names.find(|(name, _)| *name == part)).map_or("", |(_, value)| value);
        authorizer::resource(&app.view(), kind, name)
    }
}

/// The authenticated principal of a request, as a handler's argument.
pub(super) struct Caller(pub(super) Arc<Principal>);

/// Outermost layer: assigns request ids, authenticates requests, and writes problems.
pub(super) async fn admit(State(app): State<Arc<App>>, mut request: Request, next: Next) -> Response {
    let (id, watched) = (new_id(), Watched::new(&request));
    let (name, response) = match enter(&app, &request) {
        Ok(entered) => {
            let (name, from) = (entered.principal.as_ref().map(|p| p.name.clone()), address(&request));
            let Entered { principal, session } = entered;
            let extensions = request.extensions_mut();
            principal.map(|principal| extensions.insert(Arc::new(principal)));
            session.clone().map(|session| extensions.insert(session));
            extensions.insert(RequestId(Arc::clone(&id)));
            let span = tracing::debug_span!("request", request_id = %id);
            let span = RequestSpan::new(span, &request, watched.route());
            let response = next.run(request).instrument(span.span()).await;
            span.ended(&response);
            let problem = response.extensions().get::<AttachedProblem>();
            if let (Some(name), Some(AttachedProblem(problem))) = (&name, problem) {
                denials::record(&app, &id, name, from, problem);
            }
            let response = match session {
                Some(session) => end_with_session(response, &app, session),
                None => response,
            };
            (name, response)
        }
        Err(failure) => {
            hear_out(request.into_body()).await;
            (None, refuse(&app, &id, failure))
        }
    };
    let mut response = write_problem(response, &id);
    watched.ended(&app, &id, name.as_deref(), &response);
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    if response.status() == http::StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    response
}

/// Layer of one route: checks its scope, the access policy, and the limit of its body.
pub(super) async fn authorise(
    State((app, needs)): State<(Arc<App>, Needs)>,
    names: Result<RawPathParams, RawPathParamsRejection>,
    mut request: Request,
    next: Next,
) -> Response {
    if let (Some(face), Some(principal)) = (needs.face, request.extensions_mut().get_mut::<Arc<Principal>>())
    {
        *principal = Arc::new(Principal::clone(principal).arriving_by(face));
    }
    let principal = request.extensions().get::<Arc<Principal>>();
    let allowed = match principal {
        Some(principal) => check_session(&request, &needs)
            .and_then(|()| allow(&app, principal, &needs, names.as_ref().ok()))
            .map(|()| principal.name.as_str()),
        None if needs.public => Ok(ANONYMOUS),
        None => Err(unauthenticated_request()),
    };
    let reserved = allowed.and_then(|name| Ok(app.budget().open(name)?));
    let reservation = match reserved {
        Ok(reservation) => reservation,
        Err(problem) => {
            hear_out(request.into_body()).await;
            return Failure::from(problem).into_response();
        }
    };
    request.extensions_mut().insert(needs);
    request.extensions_mut().insert(reservation.clone());
    let response = next.run(request).await;
    hold_answer(response, reservation)
}

/// Rejects requests with a session cookie that change something or stay open, unless the browser reports that they come
/// from a page of this daemon. A browser sends the cookie for any page.
fn check_session(request: &Request, needs: &Needs) -> Result<(), Problem> {
    let session = request.extensions().get::<LiveSession>();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD) && !needs.streams;
    if session.is_none() || reads || is_from_own_page(request.headers()) {
        Ok(())
    } else {
        Err(Problem::new(
            ErrorCode::Forbidden,
            "a request with a console session must come from a page of this daemon",
        ))
    }
}

/// Checks the scope, and within it the access policy, unless the pipeline evaluates the policy with more facts.
fn allow(
    app: &App,
    principal: &Principal,
    needs: &Needs,
    names: Option<&RawPathParams>,
) -> Result<(), Problem> {
    let missing = [Some(needs.scope), needs.also].into_iter().flatten().find(|scope| !principal.may(*scope));
    if let Some(scope) = missing {
        return Err(policy::missing_scope(
            &app.authorizer(),
            principal,
            scope,
            needs.action,
            needs.resource(app, names),
        ));
    }
    if needs.pipeline_authorizes {
        return Ok(());
    }
    let decision = app.authorizer().decide(principal, needs.action, needs.resource(app, names));
    if decision.allowed { Ok(()) } else { Err(decision.to_problem()) }
}

/// Authenticates a request that another transport decodes. The inner request is authenticated again.
pub(crate) fn authenticate(app: &Arc<App>, request: &Request) -> Result<Principal, Problem> {
    let entered = enter(app, request).map_err(|failure| failure.problem().clone());
    let principal = entered.and_then(|entered| entered.principal.ok_or_else(unauthenticated_request));
    principal.map_err(|problem| {
        let problem = identified(problem);
        record(app, problem.request_id.as_deref().unwrap_or_default(), &problem);
        problem
    })
}

/// Adds a new request id to a problem.
pub(crate) fn identified(problem: Problem) -> Problem {
    Problem { request_id: Some(new_id().to_string()), ..problem }
}

/// The principal of a request and its console session; both are `None` for public paths.
struct Entered {
    principal: Option<Principal>,
    session: Option<LiveSession>,
}

impl Entered {
    fn of(principal: Principal) -> Self {
        Self { principal: Some(principal), session: None }
    }
}

fn enter(app: &Arc<App>, request: &Request) -> Result<Entered, Failure> {
    let arrival = request.extensions().get::<Arrival>().copied();
    if arrival == Some(Arrival::InProcess) {
        return Ok(Entered::of(Principal::owner(Face::Command)));
    }
    let from = address(request);
    let face = match arrival {
        Some(Arrival::Socket) => Face::Command,
        Some(Arrival::Grpc(_)) => Face::Grpc,
        _ => Face::Http,
    };
    let limited = |problem: Problem| {
        if app.access().count_failure(from) {
            Failure::from(problem)
        } else {
            Failure::from(refusal(Refused::TooMany))
        }
    };
    let (method, path) = (request.method(), request.uri().path());
    check_host(app, request.headers(), request.uri()).map_err(limited)?;
    // Links on other pages may lead to the console: its files are public, and no page may frame them.
    if !pages::is_page(method, path) {
        check_page(request.headers()).map_err(limited)?;
    }
    if face == Face::Http && router::is_public(method, path) {
        return Ok(Entered { principal: None, session: None });
    }
    let token = bearer(request.headers());
    let secret = cookie::session_secret(request.headers()).filter(|_| token.is_none() && face == Face::Http);
    let entered = match secret {
        Some(secret) => console_session(app, secret).map_err(limited)?,
        None => Entered::of(
            app.access()
                .authenticate(app.state(), token, from, face)
                .map_err(|refused| refusal_at(path, refused))?,
        ),
    };
    if let (Some(connection), Some(principal)) =
        (request.extensions().get::<ConnectionState>(), &entered.principal)
    {
        connection.set_authenticated(&principal.name);
    }
    Ok(entered)
}

/// Authenticates the owner in a browser, by the cookie of an open session.
fn console_session(app: &Arc<App>, secret: &str) -> Result<Entered, Problem> {
    let found = app.console().find(secret, app.expiry_now_ms());
    let (session, save) = found.ok_or_else(|| {
        Problem::new(ErrorCode::Authentication, "the console session has ended")
            .hint("sign in again with `palyra console open`")
    })?;
    if save {
        let console = Arc::clone(app.console());
        // If this is lost, an idle session ends at most a minute early after a restart.
        tokio::task::spawn_blocking(move || {
            console.save().inspect_err(|error| {
                tracing::warn!(%error, "cannot store the console sessions");
            })
        });
    }
    Ok(Entered { principal: Some(Principal::owner(Face::Console)), session: Some(session) })
}

/// Returns the failure of an invalid sign-in code, which counts like a wrong token.
pub(super) fn refuse_sign_in(app: &App, request_id: &RequestId, from: Option<IpAddr>) -> Failure {
    let problem = if app.access().count_failure(from) {
        Problem::new(ErrorCode::Authentication, "the code is unknown, already used or expired")
            .hint("create another with `palyra console open`")
    } else {
        refusal(Refused::TooMany)
    };
    record(app, &request_id.0, &problem);
    problem.into()
}

fn refuse(app: &App, request_id: &str, failure: Failure) -> Response {
    record(app, request_id, failure.problem());
    failure.into_response()
}

/// Counts a rejected request, and records it unless it is rate-limited.
fn record(app: &App, request_id: &str, problem: &Problem) {
    app.metrics().refused(problem.code);
    if problem.code != ErrorCode::RateLimited {
        let details = json!({ "code": problem.code.as_str(), "request": request_id });
        let event = NewEvent::new(EventKind::AccessRefused, app.now_ms()).actor(ANONYMOUS).details(details);
        // The response does not wait for the journal.
        drop(app.journal().append(event));
    }
}

/// Returns the address of the client, if the request came over the network.
fn address(request: &Request) -> Option<IpAddr> {
    request.extensions().get::<Arrival>().and_then(Arrival::address)
}

/// Rejects requests with a foreign host name: a page that rebound its DNS name to this machine sends that name.
fn check_host(app: &App, headers: &HeaderMap, uri: &Uri) -> Result<(), Problem> {
    let mut named = headers.get_all(HOST).iter();
    let host = named.next().and_then(|value| value.to_str().ok());
    let own = |host: &str| app.access().is_own_host(host);
    let right = named.next().is_none()
        && host.is_some_and(own)
        && uri.authority().is_none_or(|authority| own(authority.as_str()));
    if right {
        Ok(())
    } else {
        Err(Problem::new(ErrorCode::Misdirected, "the `Host` header does not name this daemon")
            .hint("start it with `--allow-host NAME` if this is one of its names"))
    }
}

/// Rejects requests that the browser reports to come from a page of another origin.
fn check_page(headers: &HeaderMap) -> Result<(), Problem> {
    // Another reader of the request might use either of two values, so both are rejected.
    let text = |name: &HeaderName| {
        let mut values = headers.get_all(name).iter();
        let first = values.next()?.to_str().unwrap_or("?");
        Some(if values.next().is_some() { "?" } else { first })
    };
    let foreign = text(&ORIGIN).is_some_and(|origin| !is_own_origin(headers, origin))
        || text(&SEC_FETCH_SITE).is_some_and(|site| !matches!(site, "same-origin" | "none"));
    if foreign {
        Err(Problem::new(ErrorCode::Forbidden, "cross-origin requests are not allowed"))
    } else {
        Ok(())
    }
}

/// Returns whether the browser reports that a request comes from a page of this daemon. Must be called after
/// [`check_page`].
fn is_from_own_page(headers: &HeaderMap) -> bool {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    text(SEC_FETCH_SITE) == Some("same-origin")
        || text(ORIGIN).is_some_and(|origin| is_own_origin(headers, origin))
}

fn is_own_origin(headers: &HeaderMap, origin: &str) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    origin == format!("http://{host}") || origin == format!("https://{host}")
}

pub(super) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let value = values.next().filter(|_| values.next().is_none())?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// Hint for `/mcp`, where the owner's token is refused.
const MCP_TOKEN: &str = "send `Authorization: Bearer TOKEN`; create a token with `palyra tokens add NAME --scope read --scope \
    invoke`";

/// Returns the problem of an authentication failure, with a hint for the path.
fn refusal_at(path: &str, refused: Refused) -> Problem {
    match refused {
        Refused::NoToken if path.starts_with("/mcp") => {
            Problem::new(ErrorCode::Authentication, refused.to_string()).hint(MCP_TOKEN)
        }
        refused => refusal(refused),
    }
}

fn refusal(refused: Refused) -> Problem {
    let code = match refused {
        Refused::NoToken | Refused::BadToken => ErrorCode::Authentication,
        Refused::TooMany => ErrorCode::RateLimited,
    };
    let problem = Problem::new(code, refused.to_string());
    match refused {
        Refused::NoToken => problem.hint(
            "send `Authorization: Bearer TOKEN`; the owner token is in `owner.token` in the state \
                root",
        ),
        Refused::BadToken => problem.hint("list the tokens with `palyra tokens list`"),
        Refused::TooMany => problem,
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failure> {
        let principal = parts.extensions.get::<Arc<Principal>>().cloned();
        principal.map(Self).ok_or_else(|| unauthenticated_request().into())
    }
}

fn unauthenticated_request() -> Problem {
    Problem::new(ErrorCode::Internal, "a request reached a handler unauthenticated")
}

fn new_id() -> Arc<str> {
    // If the random source fails, ids repeat, which is harmless.
    let random = palyra_common::random::draw::<10>().unwrap_or_default();
    let mut id = *b"req_00000000000000000000";
    if let Some(digits) = id.get_mut(4..) {
        let _ = hex::encode_to_slice(random, digits);
    }
    Arc::from(std::str::from_utf8(&id).unwrap_or("req_"))
}
