//! `/v1/runs`.

mod stream;

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue};
use palyra_api::Problem;
use palyra_api::runs::{ReplayAnswer, Run, RunInfo, RunLineList, RunList, RunReceipt};
use palyra_common::redact::escape_untrusted;
use palyra_common::{ErrorCode, Scope};
use palyra_journal::Query;
use palyra_state::runs::{RunQuery, RunRow};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::IntoParams;

use super::access::Caller;
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::events::after_last;
use super::params::{Asked, Named, page_limit};
use super::route::Route;
use super::sse::{self, EVENT_STREAM};
use crate::app::App;
use crate::problem::not_found;
use crate::to_api::ToApi;
use stream::RunFeed;

/// Most runs of one answer.
const MAX_LISTED: u16 = 1_000;
/// Lines of one answer.
const LINES: usize = 1_000;
/// How long a run that was told to end may take to its receipt, before the answer goes without it.
const CANCEL_GRACE: Duration = Duration::from_secs(10);
/// A tape is JSON, one step a line.
const TAPE: &str = "application/x-ndjson";
const STATUSES: [&str; 5] = ["started", "completed", "failed", "cancelled", "interrupted"];

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/runs", Scope::Read, list)
            .summary("Runs, newest first")
            .query::<RunsQuery>()
            .answers::<RunList>(),
        Route::get("/v1/runs/{run_id}", Scope::Read, show)
            .summary("One run, with what its receipt says")
            .answers::<RunInfo>(),
        Route::get("/v1/runs/{run_id}/lines", Scope::Read, lines)
            .summary("What a finished run logged and published")
            .query::<LinesQuery>()
            .answers::<RunLineList>(),
        Route::get("/v1/runs/{run_id}/events", Scope::Read, follow)
            .summary("What a run says until it ends; `Last-Event-ID` replays the lines after it")
            .answers_with(EVENT_STREAM),
        Route::get("/v1/runs/{run_id}/tape", Scope::Read, tape)
            .summary("The recording of a run, hashed against its receipt")
            .answers_with(TAPE),
        Route::get("/v1/runs/{run_id}/receipt", Scope::Read, receipt)
            .summary("The receipt of a run, which others can verify without this daemon")
            .answers::<RunReceipt>(),
        Route::post("/v1/runs/{run_id}/replay", Scope::Operate, replay)
            .summary("Run a stored run again from its tape, and compare")
            .answers::<ReplayAnswer>(),
        Route::post("/v1/runs/{run_id}/cancel", Scope::Operate, cancel)
            .summary("End a run under way; the answer comes after its receipt is in the journal")
            .answers::<Run>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct RunsQuery {
    /// Only those of this skill.
    skill: Option<String>,
    /// Only those of this tool.
    tool: Option<String>,
    /// Only those of this status: `started`, `completed`, `failed`, `cancelled` or `interrupted`.
    status: Option<String>,
    /// Only those that began at this time or later, in milliseconds of Unix time.
    #[serde(default, deserialize_with = "palyra_api::bounds::whole")]
    #[param(maximum = 9007199254740991i64)]
    since_ms: Option<u64>,
    /// Only those that began before this time.
    #[serde(default, deserialize_with = "palyra_api::bounds::whole")]
    #[param(maximum = 9007199254740991i64)]
    until_ms: Option<u64>,
    /// Only those before this id, which are older: where an earlier answer stopped.
    before: Option<String>,
    /// How many at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct LinesQuery {
    /// Only those after the one of this number: where an earlier answer stopped.
    after: Option<u64>,
}

async fn list(State(app): State<Arc<App>>, Asked(query): Asked<RunsQuery>) -> Answer<RunList> {
    if let Some(status) = query.status.as_deref().filter(|status| !STATUSES.contains(status)) {
        let status = escape_untrusted(&status.chars().take(60).collect::<String>());
        let known = STATUSES.join(", ");
        return Err(Problem::new(
            ErrorCode::Usage,
            format!("there is no status `{status}`: choose from {known}"),
        )
        .into());
    }
    let query = RunQuery {
        skill_id: query.skill,
        tool_id: query.tool,
        status: query.status,
        since_ms: query.since_ms,
        until_ms: query.until_ms,
        before: query.before,
        limit: page_limit(query.limit, MAX_LISTED)?,
    };
    let page = blocking(&app, move |app| app.state().runs(&query)).await?;
    Ok(Json(page.to_api()))
}

async fn show(State(app): State<Arc<App>>, Named(run_id): Named<String>) -> Answer<RunInfo> {
    blocking(&app, move |app| {
        let run = find(app, &run_id)?;
        let details = receipt_details(app, &run)?;
        Ok::<_, Failure>(RunInfo { run: run.to_api(), details })
    })
    .await
    .map(Json)
}

async fn lines(
    State(app): State<Arc<App>>,
    Named(run_id): Named<String>,
    Asked(query): Asked<LinesQuery>,
) -> Answer<RunLineList> {
    blocking(&app, move |app| {
        let run = find(app, &run_id)?;
        let lines = app.state().run_events_after(&run.run_id, query.after, LINES)?;
        let next = lines.last().filter(|_| lines.len() == LINES).map(|last| last.number);
        Ok::<_, Failure>(RunLineList { lines: lines.to_api(), next })
    })
    .await
    .map(Json)
}

async fn follow(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(run_id): Named<String>,
    headers: HeaderMap,
) -> Result<Response, Failure> {
    let after = after_last(&headers)?;
    // Asked for before the row is read: a run that ends in between is found finished.
    let live = app.state().follow_run(&run_id, after);
    let run = blocking(&app, move |app| find(app, &run_id)).await?;
    sse::open(app, principal, RunFeed { run_id: run.run_id, live, after, ended: false })
}

async fn tape(State(app): State<Arc<App>>, Named(run_id): Named<String>) -> Result<Response, Failure> {
    let bytes = blocking(&app, move |app| app.state().tape_bytes(&run_id)).await?;
    let mut response = Response::new(Body::from(Bytes::from_owner(bytes)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(TAPE));
    Ok(response)
}

async fn receipt(State(app): State<Arc<App>>, Named(run_id): Named<String>) -> Answer<RunReceipt> {
    let receipt = blocking(&app, move |app| app.state().run_receipt(&run_id)).await?;
    Ok(Json(receipt.to_api()))
}

async fn replay(State(app): State<Arc<App>>, Named(run_id): Named<String>) -> Answer<ReplayAnswer> {
    let replayed = app.replay(run_id).await?;
    Ok(Json(replayed.to_api()))
}

async fn cancel(State(app): State<Arc<App>>, Named(run_id): Named<String>) -> Answer<Run> {
    // No line of it, but its end.
    let end = app.state().follow_run(&run_id, Some(u64::MAX));
    if !app.state().cancel_run(&run_id) {
        let run = blocking(&app, move |app| find(app, &run_id)).await?;
        return Err(not_under_way(&run).into());
    }
    if let Some(mut end) = end {
        // A run that ends too slowly is cancelled all the same.
        let _ = tokio::time::timeout(CANCEL_GRACE, end.next()).await;
    }
    let run = blocking(&app, move |app| find(app, &run_id)).await?;
    Ok(Json(run.to_api()))
}

pub(super) fn find(app: &App, run_id: &str) -> Result<RunRow, Failure> {
    let unknown =
        || not_found("run", run_id, Vec::new()).hint("see which runs there are with `palyra runs list`");
    Ok(app.state().run(run_id)?.ok_or_else(unknown)?)
}

/// What the leaf of a run says; nothing for one that has none yet, or whose leaf is in a segment file.
pub(super) fn receipt_details(app: &App, run: &RunRow) -> Result<Value, Failure> {
    let Some(leaf) = run.receipt_leaf else { return Ok(json!({})) };
    let query = Query {
        from_sequence: Some(leaf),
        before_sequence: Some(leaf.saturating_add(1)),
        limit: 1,
        ..Query::default()
    };
    let page = app.state().journal().query(&query)?;
    Ok(page.events.into_iter().next().map_or_else(|| json!({}), |recorded| recorded.event.details))
}

fn not_under_way(run: &RunRow) -> Problem {
    Problem::new(ErrorCode::NotUnderWay, format!("run `{}` is {}", run.run_id, run.status))
        .hint(format!("see how it ended with `palyra runs show {}`", run.run_id))
        .details(json!({ "run_id": run.run_id, "status": run.status }))
}
