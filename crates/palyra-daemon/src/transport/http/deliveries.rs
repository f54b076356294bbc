//! `/v1/deliveries`, and the parts shared with the routes of hooks and channels.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::deliveries::{DeliveryDeadLetter, DeliveryDeadLetterList, DeliveryRetry, Lane, LaneList};
use palyra_api::hooks::HookTest;
use palyra_common::{ErrorCode, Principal, Scope};
use palyra_state::deliveries::{self, DeadLetter, LaneFilter, LaneKey, LaneTarget};
use serde::Deserialize;
use utoipa::IntoParams;

use super::access::Caller;
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::hooks::answered;
use super::params::{Asked, Named, page_limit};
use super::route::Route;
use crate::app::App;
use crate::deliveries::{Retried, retry};
use crate::to_api::ToApi;

/// Maximum number of letters in one response.
const MAX_LISTED: u16 = 1_000;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/deliveries", Scope::Read, list)
            .summary("List observers and channels with their delivery status")
            .answers::<LaneList>(),
        Route::get("/v1/deliveries/dead-letters", Scope::Read, letters)
            .summary("List dead letters, newest first")
            .query::<LettersQuery>()
            .answers::<DeliveryDeadLetterList>(),
        Route::post("/v1/deliveries/dead-letters/{letter}/retry", Scope::Operate, retry_one)
            .summary("Retry a dead letter, and remove it if that succeeds")
            .answers::<DeliveryRetry>(),
        Route::delete("/v1/deliveries/dead-letters/{letter}", Scope::Operate, drop_one)
            .summary("Delete a dead letter")
            .answers::<DeliveryDeadLetter>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct LettersQuery {
    /// Filter by binding id.
    hook: Option<String>,
    /// Filter by channel name.
    channel: Option<String>,
    /// Maximum number of letters.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

async fn list(State(app): State<Arc<App>>) -> Answer<LaneList> {
    blocking(&app, list_lanes).await.map(Json)
}

async fn letters(
    State(app): State<Arc<App>>,
    Asked(query): Asked<LettersQuery>,
) -> Answer<DeliveryDeadLetterList> {
    let lanes = match (query.hook, query.channel) {
        (None, None) => LaneFilter::default(),
        (Some(id), None) => LaneKey::hook(id).into(),
        (None, Some(name)) => LaneKey::channel(name).into(),
        (Some(_), Some(_)) => {
            return Err(Problem::new(ErrorCode::Usage, "`hook` and `channel` exclude each other").into());
        }
    };
    let dead_letters = list_letters(&app, lanes, query.limit).await?.to_api();
    Ok(Json(DeliveryDeadLetterList { dead_letters }))
}

async fn retry_one(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(letter): Named<u64>,
) -> Answer<DeliveryRetry> {
    let (letter, hook) = retry_letter(&app, LaneFilter::default(), letter, principal).await?;
    Ok(Json(DeliveryRetry { delivered: letter.to_api(), hook }))
}

async fn drop_one(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(letter): Named<u64>,
) -> Answer<DeliveryDeadLetter> {
    Ok(Json(drop_letter(&app, LaneFilter::default(), letter, principal).await?.to_api()))
}

/// Lists the dead letters of some lanes, newest first; a named lane must exist.
pub(super) async fn list_letters(
    app: &Arc<App>,
    lanes: LaneFilter,
    limit: Option<u16>,
) -> Result<Vec<DeadLetter>, Failure> {
    let limit = page_limit(limit, MAX_LISTED)?;
    let read = move |app: &App| -> Result<Vec<DeadLetter>, Failure> {
        if let LaneFilter { kind: Some(kind), name: Some(name) } = &lanes {
            app.deliveries().target(&LaneKey { kind: *kind, name: name.clone() })?;
        }
        Ok(app.deliveries().dead_letters(&lanes, limit)?)
    };
    blocking(app, read).await
}

/// Retries the delivery of a dead letter of one of these lanes.
pub(super) async fn retry_letter(
    app: &Arc<App>,
    lanes: LaneFilter,
    letter: u64,
    principal: Arc<Principal>,
) -> Result<(DeadLetter, Option<HookTest>), Failure> {
    let letter = blocking(app, move |app| app.deliveries().dead_letter(letter, &lanes)).await?;
    let Retried { letter, answer } = retry(app, letter, principal.name.clone()).await?;
    let event = letter.event.clone().unwrap_or_default();
    let hook = answer.map(|answer| answered(&letter.lane.name, &event, answer));
    Ok((letter, hook))
}

/// Drops a dead letter of one of these lanes.
pub(super) async fn drop_letter(
    app: &Arc<App>,
    lanes: LaneFilter,
    letter: u64,
    principal: Arc<Principal>,
) -> Result<DeadLetter, Failure> {
    let letter = blocking(app, move |app| app.deliveries().dead_letter(letter, &lanes)).await?;
    app.deliveries().drop_dead_letter(&letter, &principal.name).await?;
    Ok(letter)
}

fn list_lanes(app: &App) -> Result<LaneList, Failure> {
    let (mut cursors, counts) = (app.deliveries().cursors()?, app.deliveries().dead_letter_counts()?);
    let show = |deliveries::Lane { target, since }| {
        let key = target.key();
        Lane {
            kind: key.kind.to_api(),
            to: match &target {
                LaneTarget::Hook(binding) => binding.hook.clone(),
                LaneTarget::Channel(channel) => channel.kind.word().to_owned(),
            },
            // An older cursor belongs to an earlier lane of this name.
            cursor: cursors.remove(&key).filter(|cursor| cursor.next >= since).to_api(),
            dead_letters: counts.get(&key).copied().unwrap_or(0),
            name: key.name,
        }
    };
    Ok(LaneList { lanes: app.deliveries().lanes().into_iter().map(show).collect() })
}
