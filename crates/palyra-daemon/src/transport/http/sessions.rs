//! `/v1/sessions`, `/v1/agent-runs`, `/v1/pauses` and the surfaces of sessions.

mod ag_ui;
mod feed;
mod pauses;
mod runs;
mod surfaces;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use palyra_agent::SessionState;
use palyra_api::Problem;
use palyra_api::sessions::{
    AgentRun, MAX_MESSAGE_BYTES, MessageRequest, NewSession, Session, SessionChange, SessionEvent,
    SessionEventList, SessionList,
};
use palyra_common::{Principal, Scope};
use palyra_state::sessions::SessionFilter;
use palyra_state::{PrincipalId, StateError};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use utoipa::IntoParams;

use super::access::Caller;
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::events::after_last;
use super::params::{Asked, Named, page_limit};
use super::route::{Route, SMALL_BODY};
use super::sse::{self, EVENT_STREAM};
use crate::agent::may_see;
use crate::app::App;
use feed::{AsTheyAre, Encoding, SessionFeed};

/// Maximum number of sessions in one response.
const MAX_LISTED: u16 = 1_000;
/// Maximum number of events in a response.
const EVENTS: usize = 500;

pub(super) fn routes() -> Vec<Route> {
    let sessions = vec![
        Route::get("/v1/sessions", Scope::Read, list)
            .summary("List sessions, most recently active first; a token sees its own")
            .query::<SessionsQuery>()
            .answers::<SessionList>(),
        Route::post("/v1/sessions", Scope::Invoke, begin)
            .pipeline_authorizes()
            .summary("Create a session")
            .takes::<NewSession>(SMALL_BODY)
            .answers::<Session>(),
        Route::get("/v1/sessions/{session_id}", Scope::Read, show)
            .summary("Show a session")
            .answers::<Session>(),
        Route::put("/v1/sessions/{session_id}", Scope::Invoke, change)
            .pipeline_authorizes()
            .summary("Rename or archive a session, or change its settings")
            .takes::<SessionChange>(SMALL_BODY)
            .answers::<Session>(),
        Route::delete("/v1/sessions/{session_id}", Scope::Invoke, remove)
            .pipeline_authorizes()
            .summary("Remove a session and its history")
            .answers::<Session>(),
        Route::post("/v1/sessions/{session_id}/messages", Scope::Invoke, say)
            .pipeline_authorizes()
            .summary("Send a message, which starts an agent run; its events report the result")
            .takes::<MessageRequest>(2 * MAX_MESSAGE_BYTES)
            .answers::<AgentRun>(),
        Route::get("/v1/sessions/{session_id}/history", Scope::Read, history)
            .summary("List the stored events of a session, oldest first")
            .query::<HistoryQuery>()
            .answers::<SessionEventList>(),
        Route::get("/v1/sessions/{session_id}/events", Scope::Read, follow)
            .summary("Stream the events of a session; `Last-Event-ID` replays the later ones")
            .answers_with(EVENT_STREAM),
    ];
    [sessions, ag_ui::routes(), runs::routes(), pauses::routes(), surfaces::routes()]
        .into_iter()
        .flatten()
        .collect()
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct SessionsQuery {
    /// Only sessions whose title contains this text, ignoring case.
    search: Option<String>,
    /// Lists archived sessions instead of the others.
    archived: Option<bool>,
    /// Only sessions last active before this one, to continue an earlier list.
    before: Option<String>,
    /// Maximum number of results.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct HistoryQuery {
    /// Only items after this number, to continue an earlier list.
    #[serde(default, deserialize_with = "palyra_api::bounds::whole")]
    #[param(maximum = 9007199254740991i64)]
    after: Option<u64>,
}

async fn list(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Asked(query): Asked<SessionsQuery>,
) -> Answer<SessionList> {
    let limit = page_limit(query.limit, MAX_LISTED)?;
    let filter = SessionFilter {
        owner: own(&principal),
        search: query.search.map(|text| text.to_lowercase()),
        archived: query.archived.unwrap_or_default(),
        before: query.before,
        limit,
    };
    let rows = blocking(&app, move |app| app.sessions().list(&filter)).await?;
    let mut sessions: Vec<SessionState> = rows.iter().map(|bytes| read(bytes)).collect::<Result<_, _>>()?;
    let next = sessions.last().filter(|_| sessions.len() == limit).map(|last| last.session_id.clone());
    // The columns for queries are not covered by the MAC, so the content of the row decides.
    sessions.retain(|session| may_see(&principal, session));
    let sessions: Vec<Session> = sessions.iter().map(SessionState::to_api).collect();
    Ok(Json(SessionList { sessions, next }))
}

async fn begin(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(request): Json<NewSession>,
) -> Answer<Session> {
    Ok(Json(app.begin_session(&principal, request).await?))
}

async fn show(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(session_id): Named<String>,
) -> Answer<Session> {
    Ok(Json(app.session_of(&principal, &session_id).await?.to_api()))
}

async fn change(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(session_id): Named<String>,
    Json(change): Json<SessionChange>,
) -> Answer<Session> {
    Ok(Json(app.change_session(&principal, &session_id, change).await?))
}

async fn remove(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(session_id): Named<String>,
) -> Answer<Session> {
    Ok(Json(app.remove_session(&principal, &session_id).await?))
}

async fn say(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(session_id): Named<String>,
    Json(request): Json<MessageRequest>,
) -> Answer<AgentRun> {
    Ok(Json(app.say(&principal, &session_id, request.text).await?))
}

async fn history(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(session_id): Named<String>,
    Asked(query): Asked<HistoryQuery>,
) -> Answer<SessionEventList> {
    app.session_of(&principal, &session_id).await?;
    let after = query.after.unwrap_or_default();
    let rows = blocking(&app, move |app| app.sessions().events_after(&session_id, after, EVENTS)).await?;
    let events: Vec<SessionEvent> = rows.iter().map(|row| read(&row.bytes)).collect::<Result<_, _>>()?;
    let next = rows.last().filter(|_| rows.len() == EVENTS).map(|last| last.number);
    Ok(Json(SessionEventList { events, next }))
}

async fn follow(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(session_id): Named<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    open(app, principal, session_id, &headers, AsTheyAre).await
}

/// Opens a stream of the events of a session.
async fn open(
    app: Arc<App>,
    principal: Arc<Principal>,
    session_id: String,
    headers: &HeaderMap,
    encoding: impl Encoding,
) -> Result<Response, Failure> {
    // Subscribed before the session is read, so that no event is missed.
    let signals = app.agent().hub().follow();
    let session = app.session_of(&principal, &session_id).await?;
    let after = after_last(headers)?.unwrap_or(session.last_event);
    sse::open(app, principal, SessionFeed { session_id, signals, after, encoding: Some(encoding) })
}

/// Returns the owner whose sessions a principal sees: `None` (all) for the owner, itself for a token.
fn own(principal: &Principal) -> Option<String> {
    (!principal.is_owner()).then(|| PrincipalId::from(principal).key())
}

/// Parses a row.
fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, StateError> {
    serde_json::from_slice(bytes).map_err(|error| StateError::Record {
        doing: "read",
        key: "session".to_owned(),
        reason: error.to_string(),
    })
}

/// Returns the page size of a list, within its bounds.
pub(super) fn limit(asked: Option<u16>) -> Result<usize, Problem> {
    page_limit(asked, MAX_LISTED)
}
