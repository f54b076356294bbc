//! `/v1/hooks/dead-letters`.

use std::sync::Arc;

use axum::extract::State;
use palyra_common::Scope;
use palyra_state::call::HookInvocation;
use palyra_state::hooks::event_payload;
use serde::Deserialize;
use utoipa::IntoParams;

use super::super::access::Caller;
use super::super::answer::{Answer, Failure, Json};
use super::super::blocking::blocking;
use super::super::params::{Asked, Named, page_limit};
use super::super::route::Route;
use super::bindings::{answered, binding};
use super::{DeadLetter, DeadLetterList, HookTest};
use crate::app::App;
use crate::problem::ToProblem;
use crate::to_api::ToApi;

/// Most letters of one answer.
const MAX_LISTED: u16 = 1_000;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/hooks/dead-letters", Scope::Read, list)
            .summary("Events that observers could not take, oldest first")
            .query::<LettersQuery>()
            .answers::<DeadLetterList>(),
        Route::post("/v1/hooks/dead-letters/{letter}/retry", Scope::Operate, retry)
            .summary("Tell an observer once more; the letter goes when it takes the event")
            .answers::<HookTest>(),
        Route::delete("/v1/hooks/dead-letters/{letter}", Scope::Operate, forget)
            .summary("Give an event up for good")
            .answers::<DeadLetter>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct LettersQuery {
    /// Only those of this binding.
    binding: Option<String>,
    /// How many at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

async fn list(State(app): State<Arc<App>>, Asked(query): Asked<LettersQuery>) -> Answer<DeadLetterList> {
    let limit = page_limit(query.limit, MAX_LISTED)?;
    let found = blocking(&app, move |app| app.state().dead_letters(query.binding.as_deref(), limit)).await?;
    Ok(Json(DeadLetterList { dead_letters: found.to_api() }))
}

async fn retry(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(number): Named<u64>,
) -> Answer<HookTest> {
    let (letter, event) = blocking(&app, move |app| app.state().dead_letter(number)).await?;
    let binding = binding(&app, &letter.binding)?;
    let invocation = HookInvocation {
        binding: Arc::clone(&binding),
        payload: event_payload(binding.event, &event),
        sequence: Some(letter.sequence),
        delivers: false,
        cancel: None,
    };
    let answer = app.run_hook(invocation).await.map_err(|error| error.to_problem())?;
    blocking(&app, move |app| app.state().drop_dead_letter(number, &principal.name, "retried")).await?;
    Ok(Json(answered(&binding, answer)))
}

async fn forget(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(number): Named<u64>,
) -> Answer<DeadLetter> {
    let forget = move |app: &App| -> Result<DeadLetter, Failure> {
        let letter = app.state().dead_letter_row(number)?;
        app.state().drop_dead_letter(number, &principal.name, "dropped")?;
        Ok(letter.to_api())
    };
    blocking(&app, forget).await.map(Json)
}
