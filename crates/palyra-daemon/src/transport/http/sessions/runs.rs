//! Agent runs.

use std::sync::Arc;

use axum::extract::State;
use palyra_agent::RunState;
use palyra_api::sessions::{AgentRun, AgentRunList};
use palyra_common::Scope;
use serde::Deserialize;
use utoipa::IntoParams;

use super::super::access::Caller;
use super::super::answer::{Answer, Json};
use super::super::blocking::blocking;
use super::super::params::{Asked, Named};
use super::super::route::Route;
use super::{limit, read};
use crate::agent::Answerer;
use crate::app::App;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/sessions/{session_id}/runs", Scope::Read, list)
            .summary("List the agent runs of a session, newest first")
            .query::<RunsQuery>()
            .answers::<AgentRunList>(),
        Route::get("/v1/agent-runs/{run_id}", Scope::Read, show)
            .summary("Show an agent run: status, use and open question")
            .answers::<AgentRun>(),
        Route::post("/v1/agent-runs/{run_id}/stop", Scope::Invoke, stop)
            .pipeline_authorizes()
            .summary("Stop an agent run; a running tool is cancelled and keeps its receipt")
            .answers::<AgentRun>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct RunsQuery {
    /// Only items older than this id, to continue an earlier list.
    before: Option<String>,
    /// Maximum number of results.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

async fn list(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(session_id): Named<String>,
    Asked(query): Asked<RunsQuery>,
) -> Answer<AgentRunList> {
    app.session_of(&principal, &session_id).await?;
    let limit = limit(query.limit)?;
    let of = session_id.clone();
    let rows = blocking(&app, move |app| app.sessions().runs_of(&of, query.before.as_deref(), limit));
    let mut runs: Vec<RunState> = rows.await?.iter().map(|bytes| read(bytes)).collect::<Result<_, _>>()?;
    let next = runs.last().filter(|_| runs.len() == limit).map(|last| last.run_id.clone());
    // The columns for queries are not covered by the MAC, so the content of the row decides.
    runs.retain(|run| run.session_id == session_id);
    let runs: Vec<AgentRun> = runs.iter().map(RunState::to_api).collect();
    Ok(Json(AgentRunList { runs, next }))
}

async fn show(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(run_id): Named<String>,
) -> Answer<AgentRun> {
    let answerer = Answerer { app: &app, principal: &principal };
    Ok(Json(answerer.run(&run_id).await?.to_api()))
}

async fn stop(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(run_id): Named<String>,
) -> Answer<AgentRun> {
    let answerer = Answerer { app: &app, principal: &principal };
    Ok(Json(answerer.stop(&run_id).await?))
}
