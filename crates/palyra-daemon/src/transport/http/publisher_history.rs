//! `/v1/trust/publishers/{publisher}/history`: the changes of a publisher's keys.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::trust::{PublisherChange, PublisherHistory};
use palyra_common::Scope;
use palyra_journal::{EventKind, Query, RecordedEvent};

use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::params::Named;
use super::route::Route;
use crate::app::App;

/// Maximum number of events about trust that are searched, newest first.
const MAX_SEARCHED: usize = 1_000;
/// Kinds of events that change the trust in a publisher.
const KINDS: [EventKind; 8] = [
    EventKind::TrustAllowed,
    EventKind::TrustBlocked,
    EventKind::TrustUnblocked,
    EventKind::TrustPinned,
    EventKind::TrustRepinned,
    EventKind::TrustRotated,
    EventKind::TrustRevoked,
    EventKind::TrustMismatch,
];

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/trust/publishers/{publisher}/history", Scope::Read, history)
            .summary("List journal events about the keys of a publisher, newest first")
            .answers::<PublisherHistory>(),
    ]
}

async fn history(State(app): State<Arc<App>>, Named(publisher): Named<String>) -> Answer<PublisherHistory> {
    let query = Query { kinds: KINDS.to_vec(), newest_first: true, limit: MAX_SEARCHED, ..Query::default() };
    let named = publisher.clone();
    let changes = blocking(&app, move |app| {
        let page = app.journal().query(&query)?;
        let about = page.events.into_iter().filter(|recorded| is_about(recorded, &named));
        Ok::<Vec<_>, Failure>(about.map(change).collect())
    });
    Ok(Json(PublisherHistory { publisher, changes: changes.await? }))
}

fn is_about(recorded: &RecordedEvent, publisher: &str) -> bool {
    let details = recorded.event.details.get("publisher").and_then(serde_json::Value::as_str);
    recorded.event.subject.as_deref() == Some(publisher) || details == Some(publisher)
}

fn change(recorded: RecordedEvent) -> PublisherChange {
    PublisherChange {
        sequence: recorded.leaf.sequence,
        at_ms: recorded.event.at_ms,
        kind: recorded.event.kind.as_str().to_owned(),
        by: recorded.event.actor,
        details: recorded.event.details,
    }
}
