//! Pauses of agent runs.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use palyra_api::sessions::{Pause, PauseAnswer, PauseList, PauseStatus};
use palyra_common::Scope;
use serde::Deserialize;
use utoipa::IntoParams;

use super::super::access::Caller;
use super::super::answer::{Answer, Json};
use super::super::blocking::blocking;
use super::super::params::{Asked, Named};
use super::super::route::Route;
use super::super::surfaces::MAX_SUBMIT_BYTES;
use super::{limit, own, read};
use crate::agent::Answerer;
use crate::app::App;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/pauses", Scope::Read, list)
            .summary("List open and answered questions of agent runs, newest first")
            .query::<PausesQuery>()
            .answers::<PauseList>(),
        Route::get("/v1/pauses/{pause_id}", Scope::Read, show)
            .summary("Show a question of an agent run")
            .answers::<Pause>(),
        Route::post("/v1/pauses/{pause_id}/answer", Scope::Invoke, answer)
            .pipeline_authorizes()
            .summary(
                "Answer a question; the first answer counts. An approval also requires the scope `approve`",
            )
            .takes::<PauseAnswer>(MAX_SUBMIT_BYTES)
            .answers::<Pause>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct PausesQuery {
    /// Filter by status: `waiting`, `answered`, `denied`, `expired` or `cancelled`.
    #[param(value_type = Option<String>)]
    status: Option<PauseStatus>,
    /// Only items older than this id, to continue an earlier list.
    before: Option<String>,
    /// Maximum number of results.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

async fn list(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Asked(query): Asked<PausesQuery>,
) -> Answer<PauseList> {
    let (limit, owner) = (limit(query.limit)?, own(&principal));
    let rows = blocking(&app, move |app| {
        let status = query.status.map(PauseStatus::wire_name);
        app.sessions().pauses(status, owner.as_deref(), query.before.as_deref(), limit)
    });
    let rows = rows.await?;
    let mut pauses: Vec<Pause> = rows.iter().map(|bytes| read(bytes)).collect::<Result<_, _>>()?;
    let next = pauses.last().filter(|_| pauses.len() == limit).map(|last| last.pause_id.clone());
    if !principal.is_owner() {
        // The columns for queries are not covered by the MAC, so the session in the content of the row decides.
        let mut own = BTreeMap::new();
        for Pause { session_id, .. } in &pauses {
            if !own.contains_key(session_id) {
                let sees = app.session_of(&principal, session_id).await.is_ok();
                own.insert(session_id.clone(), sees);
            }
        }
        pauses.retain(|pause| own.get(&pause.session_id).is_some_and(|sees| *sees));
    }
    Ok(Json(PauseList { pauses, next }))
}

async fn show(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(pause_id): Named<String>,
) -> Answer<Pause> {
    let answerer = Answerer { app: &app, principal: &principal };
    Ok(Json(answerer.pause(&pause_id).await?))
}

async fn answer(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(pause_id): Named<String>,
    Json(answer): Json<PauseAnswer>,
) -> Answer<Pause> {
    let answerer = Answerer { app: &app, principal: &principal };
    Ok(Json(answerer.answer(&pause_id, answer).await?))
}
