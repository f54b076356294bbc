//! `/v1/events`: the journal as a stream. Events are read from the journal, so a slow reader misses none.

mod stream;
mod topics;

pub(super) use topics::kind;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use http::header::HeaderName;
use palyra_api::Problem;
use palyra_common::{ErrorCode, Scope};
use serde::Deserialize;
use utoipa::IntoParams;

use super::access::Caller;
use super::answer::Failure;
use super::params::Asked;
use super::route::Route;
use super::sse::{self, EVENT_STREAM};
use crate::app::App;
use stream::JournalFeed;
use topics::Topics;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/events", Scope::Read, events)
            .summary("Stream journal events; `Last-Event-ID` replays the later ones")
            .query::<EventQuery>()
            .answers_with(EVENT_STREAM),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct EventQuery {
    /// Event kinds such as `run:completed`, or their first part such as `run`, separated by commas [default: all].
    #[param(nullable = false)]
    topics: Option<String>,
}

async fn events(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Asked(query): Asked<EventQuery>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let topics: Topics = query.topics.as_deref().unwrap_or_default().parse()?;
    let next = match after_last(&headers)? {
        None => app.journal().head().size,
        Some(last) => last.saturating_add(1),
    };
    let follower = app.journal().follow();
    sse::open(app, principal, JournalFeed { follower, topics, next })
}

/// Returns the number of the last event that the client has received.
pub(super) fn after_last(headers: &HeaderMap) -> Result<Option<u64>, Failure> {
    let Some(last) = headers.get(LAST_EVENT_ID) else { return Ok(None) };
    let number = last.to_str().ok().and_then(|text| text.parse::<u64>().ok());
    let number = number.filter(|number| *number < u64::MAX);
    number.map(Some).ok_or_else(|| {
        Problem::new(
            ErrorCode::Usage,
            "`Last-Event-ID` must be the number of an \
            event",
        )
        .into()
    })
}
