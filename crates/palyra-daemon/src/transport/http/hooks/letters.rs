//! `/v1/hooks/dead-letters`: the routes of deliveries, for observers only.

use std::sync::Arc;

use axum::extract::State;
use palyra_common::Scope;
use palyra_state::deliveries::{LaneFilter, LaneKind};
use serde::Deserialize;
use utoipa::IntoParams;

use super::super::access::Caller;
use super::super::answer::{Answer, Json};
use super::super::deliveries::{drop_letter, list_letters, retry_letter};
use super::super::params::{Asked, Named};
use super::super::route::Route;
use super::{DeadLetter, DeadLetterList, HookTest};
use crate::app::App;
use crate::problem::not_found;
use crate::to_api::hook_letter;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/hooks/dead-letters", Scope::Read, list)
            .summary("List dead letters of hooks, newest first")
            .query::<LettersQuery>()
            .answers::<DeadLetterList>(),
        Route::post("/v1/hooks/dead-letters/{letter}/retry", Scope::Operate, retry)
            .summary("Retry a dead letter of a hook")
            .answers::<HookTest>(),
        Route::delete("/v1/hooks/dead-letters/{letter}", Scope::Operate, forget)
            .summary("Delete a dead letter of a hook")
            .answers::<DeadLetter>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct LettersQuery {
    /// Filter by binding.
    binding: Option<String>,
    /// Maximum number of results.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

async fn list(State(app): State<Arc<App>>, Asked(query): Asked<LettersQuery>) -> Answer<DeadLetterList> {
    let lanes = LaneFilter { name: query.binding, ..LaneKind::Hook.into() };
    let found = list_letters(&app, lanes, query.limit).await?;
    Ok(Json(DeadLetterList { dead_letters: found.into_iter().map(hook_letter).collect() }))
}

async fn retry(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(number): Named<u64>,
) -> Answer<HookTest> {
    let (_, answer) = retry_letter(&app, LaneKind::Hook.into(), number, principal).await?;
    Ok(Json(answer.ok_or_else(|| not_found("dead letter", &number.to_string(), Vec::new()))?))
}

async fn forget(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(number): Named<u64>,
) -> Answer<DeadLetter> {
    Ok(Json(hook_letter(drop_letter(&app, LaneKind::Hook.into(), number, principal).await?)))
}
