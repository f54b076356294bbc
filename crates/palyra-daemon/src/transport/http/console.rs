//! `/console`: sign-in, and the open sessions.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use axum::{Extension, http::HeaderMap};
use http::header::{SET_COOKIE, USER_AGENT};
use palyra_api::Problem;
use palyra_api::console::{ConsoleSession, ConsoleSessionList, SignInLink, SignInRequest, SignedIn};
use palyra_common::principal::OWNER;
use palyra_common::{ErrorCode, Principal, Scope, Transport};
use palyra_journal::{EventKind, NewEvent};
use serde_json::json;

use super::access::{Arrival, Caller, RequestId, refuse_sign_in};
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::body::Sealed;
use super::cookie;
use super::params::Named;
use super::route::{Route, SMALL_BODY};
use crate::app::App;
use crate::console::{LiveSession, SessionView};
use crate::when;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/console/codes", Scope::Admin, new_link)
            .summary(
                "Create a link that signs in one browser within a minute; only for the owner on this machine",
            )
            .answers::<SignInLink>(),
        Route::get("/console/session", Scope::Read, show)
            .public()
            .summary("Show the console session and its expiry, without extending it")
            .answers::<SignedIn>(),
        Route::post("/console/session", Scope::Read, sign_in)
            .public()
            .summary("Sign in with the code of a link; the response sets the session cookie")
            .takes::<SignInRequest>(SMALL_BODY)
            .answers::<SignedIn>(),
        Route::delete("/console/session", Scope::Read, sign_out)
            .summary("Sign out of the console")
            .answers::<SignedIn>(),
        Route::get("/console/sessions", Scope::Admin, list)
            .summary("List console sessions")
            .answers::<ConsoleSessionList>(),
        Route::delete("/console/sessions/{session_id}", Scope::Admin, revoke)
            .summary("Revoke a console session and close its streams")
            .answers::<ConsoleSession>(),
    ]
}

/// The console session of a request, if it has one.
type Current = Option<Extension<LiveSession>>;

async fn new_link(State(app): State<Arc<App>>, Caller(principal): Caller) -> Answer<SignInLink> {
    // A signed-in browser acts as the owner in person, so neither a token nor a remote client can create a link.
    let on_this_machine = matches!(principal.transport, Transport::Terminal | Transport::Command);
    if !(principal.is_owner() && on_this_machine) {
        return Err(Problem::new(
            ErrorCode::Forbidden,
            "only the owner on this machine can sign a browser in",
        )
        .hint("run `palyra console open` on the machine of the daemon, as the user it runs as")
        .into());
    }
    let link = app.sign_in_link().map_err(no_randomness)?;
    let link = link.ok_or_else(|| {
        Problem::new(ErrorCode::Unreachable, "this process does not serve the console")
            .hint("start a daemon with `palyra up`")
    })?;
    Ok(Json(link))
}

async fn show(State(app): State<Arc<App>>, headers: HeaderMap) -> Answer<SignedIn> {
    let secret = cookie::session_secret(&headers);
    let view = secret.and_then(|secret| app.console().view(secret, app.expiry_now_ms()));
    let view = view.ok_or_else(|| {
        Problem::new(ErrorCode::Authentication, "this browser is not signed in")
            .hint("sign in with `palyra console open`")
    })?;
    Ok(Json(signed_in(&view)))
}

async fn sign_in(
    State(app): State<Arc<App>>,
    arrival: Option<Extension<Arrival>>,
    Extension(request_id): Extension<RequestId>,
    headers: HeaderMap,
    Sealed(request): Sealed<SignInRequest>,
) -> Result<Response, Failure> {
    let browser = headers.get(USER_AGENT).and_then(|name| name.to_str().ok()).unwrap_or_default();
    let now = app.expiry_now_ms();
    let opened = app.console().sign_in(request.code.expose(), browser, now).map_err(no_randomness)?;
    let Some(opened) = opened else {
        let from = arrival.and_then(|Extension(arrival)| arrival.address());
        return Err(refuse_sign_in(&app, &request_id, from));
    };
    if let Some(replaced) = &opened.replaced {
        record_end(&app, replaced, OWNER, "too many sessions");
    }
    let event = NewEvent::new(EventKind::ConsoleSignedIn, app.now_ms())
        .actor(OWNER)
        .subject(&opened.view.session_id)
        .details(json!({ "browser": opened.view.browser, "expires_ms": opened.view.expires_ms }));
    // The cookie is sent only after the sign-in is recorded in the journal.
    if let Err(error) = app.journal().append(event).await {
        app.console().end(&opened.view.session_id, now);
        return Err(error.into());
    }
    save(&app).await?;
    let age = opened.view.expires_ms.saturating_sub(now) / 1_000;
    Ok(with_cookie(Json(signed_in(&opened.view)), cookie::set(&headers, &opened.secret, age)))
}

async fn sign_out(
    State(app): State<Arc<App>>,
    session: Current,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let no_session = || Problem::new(ErrorCode::NotFound, "this request has no console session");
    let Extension(LiveSession { session_id, .. }) = session.ok_or_else(no_session)?;
    let ended = end(&app, &session_id, OWNER, "signed out").await?.ok_or_else(no_session)?;
    Ok(with_cookie(Json(signed_in(&ended)), cookie::clear(&headers)))
}

async fn list(State(app): State<Arc<App>>, session: Current) -> Answer<ConsoleSessionList> {
    let sessions = app.console().list(app.expiry_now_ms());
    let sessions = sessions.iter().map(|view| to_api(view, &session)).collect();
    Ok(Json(ConsoleSessionList { sessions }))
}

async fn revoke(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    session: Current,
    Named(session_id): Named<String>,
) -> Answer<ConsoleSession> {
    let ended = end(&app, &session_id, &principal.actor(), "revoked").await?;
    let ended = ended.ok_or_else(|| {
        let known = app.console().list(app.expiry_now_ms());
        let known = known.into_iter().map(|view| view.session_id).collect();
        crate::problem::not_found("console session", &session_id, known)
            .hint("see the open ones with `palyra console sessions list`")
    })?;
    Ok(Json(to_api(&ended, &session)))
}

/// Ends a session at once; responds after the file is written and the event is queued.
async fn end(
    app: &Arc<App>,
    session_id: &str,
    actor: &str,
    reason: &str,
) -> Result<Option<SessionView>, Failure> {
    let Some(ended) = app.console().end(session_id, app.expiry_now_ms()) else { return Ok(None) };
    record_end(app, &ended, actor, reason);
    save(app).await?;
    Ok(Some(ended))
}

/// Stores the sessions; fails if that is impossible, because an ended session would be open after a restart.
async fn save(app: &Arc<App>) -> Result<(), Failure> {
    blocking(app, |app| {
        app.console().save().map_err(|error| {
            Problem::new(ErrorCode::StateIo, format!("cannot store the console sessions: {error}"))
        })
    })
    .await
}

fn record_end(app: &App, ended: &SessionView, actor: &str, reason: &str) {
    let event = NewEvent::new(EventKind::ConsoleSessionEnded, app.now_ms())
        .actor(actor)
        .subject(&ended.session_id)
        .details(json!({ "reason": reason }));
    drop(app.journal().append(event));
}

fn with_cookie(answer: impl IntoResponse, cookie: Option<http::HeaderValue>) -> Response {
    let mut response = answer.into_response();
    if let Some(cookie) = cookie {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

fn signed_in(view: &SessionView) -> SignedIn {
    let principal = Principal::owner(Transport::Console).name;
    SignedIn { principal, expires_at: when(view.expires_ms), idle_expires_at: when(view.idle_expires_ms) }
}

fn to_api(view: &SessionView, current: &Current) -> ConsoleSession {
    let SessionView { session_id, browser, signed_in_ms, used_ms, expires_ms, idle_expires_ms } = view;
    ConsoleSession {
        id: session_id.clone(),
        user_agent: browser.clone(),
        created_at: when(*signed_in_ms),
        last_used_at: when(*used_ms),
        expires_at: when(*expires_ms),
        idle_expires_at: when(*idle_expires_ms),
        current: current.as_ref().is_some_and(|current| current.session_id == *session_id),
    }
}

fn no_randomness(error: getrandom::Error) -> Problem {
    Problem::new(ErrorCode::Internal, format!("cannot read the system random source: {error}"))
}
