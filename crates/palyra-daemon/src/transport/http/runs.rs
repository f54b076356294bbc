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
use palyra_api::runs::{ReplayAnswer, Run, RunFailure, RunInfo, RunLineList, RunList, RunReceipt};
use palyra_common::text::clip_untrusted;
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

/// Maximum number of runs in one response.
const MAX_LISTED: u16 = 1_000;
/// Maximum number of lines in a response.
const LINES: usize = 1_000;
/// Maximum wait for the receipt of a cancelled run before the response is sent without it.
const CANCEL_GRACE: Duration = Duration::from_secs(10);
/// Media type of a tape: JSON, one step per line.
const TAPE: &str = "application/x-ndjson";
const STATUSES: [&str; 5] = ["started", "completed", "failed", "cancelled", "interrupted"];

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/runs", Scope::Read, list)
            .summary("List runs, newest first")
            .query::<RunsQuery>()
            .answers::<RunList>(),
        Route::get("/v1/runs/{run_id}", Scope::Read, show)
            .summary("Show a run with its receipt")
            .answers::<RunInfo>(),
        Route::get("/v1/runs/{run_id}/lines", Scope::Read, lines)
            .summary("List the log lines and messages of a finished run")
            .query::<LinesQuery>()
            .answers::<RunLineList>(),
        Route::get("/v1/runs/{run_id}/events", Scope::Read, follow)
            .summary("Stream the log lines and messages of a run until it ends; `Last-Event-ID` replays the later ones")
            .answers_with(EVENT_STREAM),
        Route::get("/v1/runs/{run_id}/tape", Scope::Read, tape)
            .summary("Show the tape of a run, verified against its receipt")
            .answers_with(TAPE),
        Route::get("/v1/runs/{run_id}/receipt", Scope::Read, receipt)
            .summary("Show the receipt of a run, which can be verified offline")
            .answers::<RunReceipt>(),
        Route::post("/v1/runs/{run_id}/replay", Scope::Operate, replay)
            .summary("Replay a stored run from its tape, and compare")
            .answers::<ReplayAnswer>(),
        Route::post("/v1/runs/{run_id}/cancel", Scope::Operate, cancel)
            .summary("Cancel a run in progress; the response follows its receipt")
            .answers::<Run>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct RunsQuery {
    /// Filter by skill.
    skill: Option<String>,
    /// Filter by tool.
    tool: Option<String>,
    /// Filter by status: `started`, `completed`, `failed`, `cancelled` or `interrupted`.
    status: Option<String>,
    /// Only runs started at this time or later, in Unix milliseconds.
    #[serde(default, deserialize_with = "palyra_api::bounds::whole")]
    #[param(maximum = 9007199254740991i64)]
    since_ms: Option<u64>,
    /// Only runs started before this time.
    #[serde(default, deserialize_with = "palyra_api::bounds::whole")]
    #[param(maximum = 9007199254740991i64)]
    until_ms: Option<u64>,
    /// Only items older than this id, to continue an earlier list.
    before: Option<String>,
    /// Maximum number of results.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct LinesQuery {
    /// Only items after this number, to continue an earlier list.
    after: Option<u64>,
}

async fn list(State(app): State<Arc<App>>, Asked(query): Asked<RunsQuery>) -> Answer<RunList> {
    if let Some(status) = query.status.as_deref().filter(|status| !STATUSES.contains(status)) {
        let status = clip_untrusted(status, 60);
        let known = STATUSES.join(", ");
        return Err(Problem::new(
            ErrorCode::Usage,
            format!("unknown status `{status}`: choose from {known}"),
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
    let page = blocking(&app, move |app| app.runs().list(&query)).await?;
    Ok(Json(page.to_api()))
}

async fn show(State(app): State<Arc<App>>, Named(run_id): Named<String>) -> Answer<RunInfo> {
    blocking(&app, move |app| {
        let mut run = find(app, &run_id)?;
        let details = receipt_details(app, &run)?;
        let failure = failure(app, &mut run, &details)?;
        Ok::<_, Failure>(RunInfo { run: run.to_api(), details, failure })
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
        let lines = app.runs().events_after(&run.run_id, query.after, LINES)?;
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
    // Subscribed before the row is read, so that a run that ends in between is found finished.
    let live = app.runs().follow(&run_id, after);
    let run = blocking(&app, move |app| find(app, &run_id)).await?;
    sse::open(app, principal, RunFeed { run_id: run.run_id, live, after, ended: false })
}

async fn tape(State(app): State<Arc<App>>, Named(run_id): Named<String>) -> Result<Response, Failure> {
    let bytes = blocking(&app, move |app| app.runs().tape_bytes(&run_id)).await?;
    let mut response = Response::new(Body::from(Bytes::from_owner(bytes)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(TAPE));
    Ok(response)
}

async fn receipt(State(app): State<Arc<App>>, Named(run_id): Named<String>) -> Answer<RunReceipt> {
    let receipt = blocking(&app, move |app| app.runs().receipt(&run_id)).await?;
    Ok(Json(receipt.to_api()))
}

async fn replay(State(app): State<Arc<App>>, Named(run_id): Named<String>) -> Answer<ReplayAnswer> {
    let replayed = app.replay(run_id).await?;
    Ok(Json(replayed.to_api()))
}

async fn cancel(State(app): State<Arc<App>>, Named(run_id): Named<String>) -> Answer<Run> {
    // Follows only the end of the run, not its lines.
    let end = app.runs().follow(&run_id, Some(u64::MAX));
    if !app.runs().cancel(&run_id) {
        let run = blocking(&app, move |app| find(app, &run_id)).await?;
        return Err(not_under_way(&run).into());
    }
    if let Some(mut end) = end {
        // The run is cancelled even if it does not end within this time.
        let _ = tokio::time::timeout(CANCEL_GRACE, end.next()).await;
    }
    let run = blocking(&app, move |app| find(app, &run_id)).await?;
    Ok(Json(run.to_api()))
}

pub(super) fn find(app: &App, run_id: &str) -> Result<RunRow, Failure> {
    let unknown = || not_found("run", run_id, Vec::new()).hint("list the runs with `palyra runs list`");
    Ok(app.runs().get(run_id)?.ok_or_else(unknown)?)
}

/// Returns the details of a run's leaf; empty if it has none yet, or the leaf is in a segment file.
pub(super) fn receipt_details(app: &App, run: &RunRow) -> Result<Value, Failure> {
    let Some(leaf) = run.receipt_leaf else { return Ok(json!({})) };
    let query = Query {
        from_sequence: Some(leaf),
        before_sequence: Some(leaf.saturating_add(1)),
        limit: 1,
        ..Query::default()
    };
    let page = app.journal().query(&query)?;
    Ok(page.events.into_iter().next().map_or_else(|| json!({}), |recorded| recorded.event.details))
}

/// Returns the cause of a failure if it matches the receipt. A leaf in a segment file cannot be compared here.
fn failure(app: &App, run: &mut RunRow, receipt: &Value) -> Result<Option<RunFailure>, Failure> {
    let notes = app.runs().notes(&run.run_id)?;
    let expected = receipt.get("failure_sha256").and_then(Value::as_str);
    let archived = receipt.as_object().is_none_or(serde_json::Map::is_empty);
    let found = notes.failure_sha256().map(|digest| digest.to_string());
    if !archived && found.is_some() && found.as_deref() != expected {
        run.differs.push("failure".into());
        return Ok(None);
    }
    Ok(notes.read_failure())
}

fn not_under_way(run: &RunRow) -> Problem {
    Problem::new(ErrorCode::NotUnderWay, format!("run `{}` is {}", run.run_id, run.status))
        .hint(format!("see how it ended with `palyra runs show {}`", run.run_id))
        .details(json!({ "run_id": run.run_id, "status": run.status }))
}
