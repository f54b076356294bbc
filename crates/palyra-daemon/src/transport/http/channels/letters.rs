//! `/v1/channels/{name}/dead-letters`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::channels::{ChannelDeadLetter, ChannelDeadLetterList};
use palyra_common::Scope;
use palyra_state::channels::ChannelError;
use serde::Deserialize;
use serde_json::json;
use utoipa::IntoParams;

use super::super::access::Caller;
use super::super::answer::{Answer, Failure, Json};
use super::super::blocking::blocking;
use super::super::params::{Asked, Named, page_limit};
use super::super::route::Route;
use crate::app::App;
use crate::channels::try_once;
use crate::to_api::ToApi;

/// Most letters of one answer.
const MAX_LISTED: u16 = 1_000;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/channels/{name}/dead-letters", Scope::Read, list)
            .summary("Messages a channel gave up, newest first")
            .query::<LettersQuery>()
            .answers::<ChannelDeadLetterList>(),
        Route::post("/v1/channels/{name}/dead-letters/{letter}/retry", Scope::Operate, retry)
            .summary("Send a message once more; the letter goes when it is taken")
            .answers::<ChannelDeadLetter>(),
        Route::delete("/v1/channels/{name}/dead-letters/{letter}", Scope::Operate, forget)
            .summary("Give a message up for good")
            .answers::<ChannelDeadLetter>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct LettersQuery {
    /// How many at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

async fn list(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Asked(query): Asked<LettersQuery>,
) -> Answer<ChannelDeadLetterList> {
    let limit = page_limit(query.limit, MAX_LISTED)?;
    let list = move |app: &App| -> Result<ChannelDeadLetterList, Failure> {
        app.state().channel(&name)?;
        Ok(ChannelDeadLetterList { dead_letters: app.state().channel_dead_letters(&name, limit)?.to_api() })
    };
    blocking(&app, list).await.map(Json)
}

async fn retry(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named((name, number)): Named<(String, u64)>,
) -> Answer<ChannelDeadLetter> {
    let find = move |app: &App| -> Result<_, ChannelError> {
        let channel = app.state().channel(&name)?;
        Ok((channel, app.state().channel_dead_message(&name, number)?))
    };
    let (channel, (letter, message)) = blocking(&app, find).await?;
    // It goes on to its record even if whoever asked goes away.
    let sending = tokio::spawn(async move {
        app.state().begin_channel_retry(&letter).await?;
        if let Err(reason) = try_once(&app, &channel, &message).await {
            app.state().note_channel_retry_failure(number, &reason).await?;
            let problem = Problem::new("not_delivered", format!("the message was not taken: {reason}"))
                .details(json!({ "channel": channel.name, "letter": number, "reason": reason }));
            return Err(Failure::from(problem));
        }
        app.state().settle_channel_retry(&letter, &message, &principal.name).await?;
        Ok(letter.to_api())
    });
    let sent = sending.await.map_err(|error| Problem::new("internal", error.to_string()))?;
    sent.map(Json)
}

async fn forget(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named((name, number)): Named<(String, u64)>,
) -> Answer<ChannelDeadLetter> {
    let forget = move |app: &App| -> Result<ChannelDeadLetter, Failure> {
        app.state().channel(&name)?;
        let letter = app.state().channel_dead_letter(&name, number)?;
        app.state().drop_channel_letter(&name, number, &principal.name)?;
        Ok(letter.to_api())
    };
    blocking(&app, forget).await.map(Json)
}
