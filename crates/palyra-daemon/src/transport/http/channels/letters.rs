//! `/v1/channels/{name}/dead-letters`: the routes of deliveries, for one channel.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::channels::{ChannelDeadLetter, ChannelDeadLetterList};
use palyra_common::Scope;
use palyra_state::deliveries::LaneKey;
use serde::Deserialize;
use utoipa::IntoParams;

use super::super::access::Caller;
use super::super::answer::{Answer, Json};
use super::super::deliveries::{drop_letter, list_letters, retry_letter};
use super::super::params::{Asked, Named};
use super::super::route::Route;
use crate::app::App;
use crate::to_api::channel_letter;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/channels/{name}/dead-letters", Scope::Read, list)
            .summary("List dead letters of a channel, newest first")
            .query::<LettersQuery>()
            .answers::<ChannelDeadLetterList>(),
        Route::post("/v1/channels/{name}/dead-letters/{letter}/retry", Scope::Operate, retry)
            .summary("Retry a dead letter of a channel")
            .answers::<ChannelDeadLetter>(),
        Route::delete("/v1/channels/{name}/dead-letters/{letter}", Scope::Operate, forget)
            .summary("Delete a dead letter of a channel")
            .answers::<ChannelDeadLetter>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct LettersQuery {
    /// Maximum number of results.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

async fn list(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Asked(query): Asked<LettersQuery>,
) -> Answer<ChannelDeadLetterList> {
    let found = list_letters(&app, LaneKey::channel(name).into(), query.limit).await?;
    Ok(Json(ChannelDeadLetterList { dead_letters: found.into_iter().map(channel_letter).collect() }))
}

async fn retry(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named((name, number)): Named<(String, u64)>,
) -> Answer<ChannelDeadLetter> {
    let (letter, _) = retry_letter(&app, LaneKey::channel(name).into(), number, principal).await?;
    Ok(Json(channel_letter(letter)))
}

async fn forget(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named((name, number)): Named<(String, u64)>,
) -> Answer<ChannelDeadLetter> {
    Ok(Json(channel_letter(drop_letter(&app, LaneKey::channel(name).into(), number, principal).await?)))
}
