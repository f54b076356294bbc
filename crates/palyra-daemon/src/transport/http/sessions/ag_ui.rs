//! A session as a stream of AG-UI 1.0 events.

mod events;
mod translate;

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use http::HeaderMap;
use palyra_agent::SurfaceState;
use palyra_api::sessions::{SessionEvent, SessionEventBody};
use palyra_common::Scope;
use palyra_state::StateError;

use super::super::access::Caller;
use super::super::answer::Failure;
use super::super::params::Named;
use super::super::route::Route;
use super::super::sse::EVENT_STREAM;
use super::feed::Encoding;
use super::{open, read};
use crate::app::App;
use translate::Translation;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/sessions/{session_id}/ag-ui", Scope::Read, follow)
            .summary(
                "Stream the events of a session as AG-UI 1.0 events; `Last-Event-ID` replays the later ones",
            )
            .answers_with(EVENT_STREAM),
    ]
}

async fn follow(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(session_id): Named<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let encoding = AgUi { session_id: session_id.clone(), translation: Translation::default() };
    open(app, principal, session_id, &headers, encoding).await
}

/// Encodes events for AG-UI: without a name; the id of a stored event is on the last event it is translated to.
struct AgUi {
    session_id: String,
    translation: Translation,
}

impl Encoding for AgUi {
    /// Replaces a patch by the whole current surface: AG-UI has no patches by component id.
    fn prepare(&self, app: &App, event: &mut SessionEvent) -> Result<(), StateError> {
        let SessionEventBody::SurfacePatched { surface, .. } = &event.body else { return Ok(()) };
        if let Some(bytes) = app.sessions().surface(&self.session_id, surface)? {
            let (surface, now) = (surface.clone(), read::<SurfaceState>(&bytes)?.to_api());
            event.body = SessionEventBody::SurfaceCreated { surface, rev: now.rev, document: now.document };
        }
        Ok(())
    }

    fn encode(&mut self, event: SessionEvent) -> Vec<Bytes> {
        let number = event.number;
        let events = self.translation.translate(&self.session_id, event);
        let last = events.len().saturating_sub(1);
        let lines = events.iter().enumerate().map(|(at, event)| {
            let id = number.filter(|_| at == last).map(|id| format!("id: {id}\n")).unwrap_or_default();
            let data = serde_json::to_string(event).unwrap_or_default();
            Bytes::from(format!("{id}data: {data}\n\n"))
        });
        lines.collect()
    }
}
