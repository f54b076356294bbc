//! `/v1/routines`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::routines::{
    Fire, FireList, MAX_ROUTINE_BYTES, RemovedName, Routine, RoutineList, RoutineRequest,
};
use palyra_common::{ErrorCode, JsonText, Principal, Scope, WasmPluginRunError};
use palyra_control_plane::{Fired, RoutineAction};
use palyra_policy::{Action, ResourceKind};
use palyra_skills::manifest::ToolSchema;
use palyra_state::{FireKey, FireQuery, PrincipalId, authorizer};
use serde::Deserialize;
use serde_json::json;
use utoipa::IntoParams;

use super::access::Caller;
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::params::{Asked, Named, page_limit};
use super::route::Route;
use crate::app::App;
use crate::catalog;
use crate::problem::ToProblem;
use crate::routines::convert;
use crate::to_api::ToApi;

/// Maximum number of fires in one response.
const MAX_LISTED: u16 = 500;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/routines", Scope::Read, list)
            .summary("List routines with their next and last run")
            .answers::<RoutineList>(),
        Route::post("/v1/routines", Scope::Operate, add)
            .summary("Create or replace a routine; a tool call also requires the scope `invoke`")
            .takes::<RoutineRequest>(MAX_ROUTINE_BYTES)
            .answers::<Routine>(),
        Route::get("/v1/routines/{routine}", Scope::Read, show)
            .summary("Show a routine")
            .answers::<Routine>(),
        Route::delete("/v1/routines/{routine}", Scope::Operate, remove)
            .summary("Remove a routine and keep its history")
            .answers::<RemovedName>(),
        Route::post("/v1/routines/{routine}/enable", Scope::Operate, enable)
            .and(Scope::Invoke)
            .summary("Enable a routine; times missed while it was disabled are skipped")
            .answers::<Routine>(),
        Route::post("/v1/routines/{routine}/disable", Scope::Operate, disable)
            .summary("Disable a routine")
            .answers::<Routine>(),
        Route::post("/v1/routines/{routine}/fire", Scope::Operate, fire)
            .and(Scope::Invoke)
            .summary("Run a routine now and wait for the result")
            .answers::<Fire>(),
        Route::get("/v1/routines/{routine}/fires", Scope::Read, fires)
            .summary("List the runs of a routine, newest first")
            .query::<FiresQuery>()
            .answers::<FireList>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct FiresQuery {
    /// Only runs due before this time in Unix milliseconds, to continue an earlier list.
    before: Option<u64>,
    /// Maximum number of results.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u16>,
}

async fn list(State(app): State<Arc<App>>) -> Answer<RoutineList> {
    let routines = blocking(&app, |app| {
        let routines = app.control().store().routines().map_err(|error| error.to_problem())?;
        routines.iter().map(|routine| convert::routine(app, routine)).collect::<Result<Vec<_>, Problem>>()
    });
    Ok(Json(RoutineList { routines: routines.await? }))
}

async fn show(State(app): State<Arc<App>>, Named(name): Named<String>) -> Answer<Routine> {
    blocking(&app, move |app| one(app, &name)).await.map(Json)
}

async fn add(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(request): Json<RoutineRequest>,
) -> Answer<Routine> {
    let made = blocking(&app, move |app| keep(app, &principal, request)).await?;
    app.control().changed();
    Ok(Json(made))
}

async fn remove(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<RemovedName> {
    let removed = blocking(&app, move |app| {
        app.control().store().remove_routine(&name, &principal.name).map(|()| RemovedName { name })
    });
    let removed = removed.await?;
    app.control().changed();
    Ok(Json(removed))
}

async fn enable(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<Routine> {
    switch(&app, principal, name, true).await
}

async fn disable(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<Routine> {
    switch(&app, principal, name, false).await
}

async fn switch(app: &Arc<App>, principal: Arc<Principal>, name: String, enabled: bool) -> Answer<Routine> {
    let switched = blocking(app, move |app| {
        if enabled {
            may_fire(app, &principal, &app.control().store().routine(&name)?)?;
        }
        let routine = app.control().store().switch_routine(&name, enabled, &principal.name)?;
        convert::routine(app, &routine).map_err(Failure::from)
    });
    let switched = switched.await?;
    app.control().changed();
    Ok(Json(switched))
}

async fn fire(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<Fire> {
    let found = blocking(&app, move |app| {
        let routine = app.control().store().routine(&name)?;
        may_fire(app, &principal, &routine).map(|()| routine)
    });
    let routine = found.await?;
    let key = match app.control().fires().fire_by_hand(&routine, app.now_ms()).await? {
        Fired::Begun(key, under_way) => {
            // The fire continues without its caller, because it is in the history already.
            under_way.await.map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
            key
        }
        Fired::Passed(key, _) => key,
        Fired::Taken | Fired::Ending => {
            return Err(Problem::new(ErrorCode::ShuttingDown, "the daemon is shutting down").into());
        }
    };
    blocking(&app, move |app| ended(app, &key)).await.map(Json)
}

async fn fires(
    State(app): State<Arc<App>>,
    Named(name): Named<String>,
    Asked(query): Asked<FiresQuery>,
) -> Answer<FireList> {
    let limit = page_limit(query.limit, MAX_LISTED)?;
    let query = FireQuery { before_ms: query.before, limit };
    let page = blocking(&app, move |app| {
        app.control().store().routine(&name)?;
        app.state().control().fires(&name, &query).map_err(Failure::from)
    });
    Ok(Json(page.await?.to_api()))
}

fn one(app: &App, name: &str) -> Result<Routine, Failure> {
    let routine = app.control().store().routine(name)?;
    Ok(convert::routine(app, &routine)?)
}

fn ended(app: &App, key: &FireKey) -> Result<Fire, Failure> {
    let fire = app.state().control().fire(key)?;
    let fire = fire
        .ok_or_else(|| Problem::new(ErrorCode::Internal, "the run of the routine is not in its history"))?;
    Ok(fire.to_api())
}

fn keep(app: &App, principal: &Principal, mut request: RoutineRequest) -> Result<Routine, Failure> {
    let control = app.control();
    if let Some(tool) = &request.tool {
        request.tool = Some(callable(app, principal, tool)?);
    }
    let replace = request.replace;
    let there = control.store().routine(&request.name).ok().filter(|_| replace);
    let routine = convert::read(request, there.as_ref(), PrincipalId::from(principal), app.now_ms())?;
    check_input(app, &routine)?;
    control.store().put_routine(&routine, replace, &principal.name)?;
    Ok(convert::routine(app, &routine)?)
}

/// Rejects an input that does not match the schema of the tool, because every fire would fail.
fn check_input(app: &App, routine: &palyra_control_plane::Routine) -> Result<(), Failure> {
    let RoutineAction::Tool { tool, input } = &routine.action else { return Ok(()) };
    let schema = catalog::show(app, tool)?.input_schema;
    let unusable = |reason: String| Problem::new(ErrorCode::Internal, reason);
    let schema = ToolSchema::compile_input(&schema).map_err(|problem| unusable(problem.to_string()))?;
    let input = JsonText::from_text(input.clone()).map_err(|error| unusable(error.to_string()))?;
    schema.check_text(&input).map_err(|mismatch| {
        WasmPluginRunError::invalid_input(mismatch.pointer, mismatch.reason)
            .to_problem()
            .hint(format!("see its input with `palyra tools show {tool}`"))
            .into()
    })
}

/// Checks that a principal that fires a routine may call its tool; the creator is checked at each fire.
fn may_fire(
    app: &App,
    principal: &Principal,
    routine: &palyra_control_plane::Routine,
) -> Result<(), Failure> {
    routine.tool().map_or(Ok(()), |tool| permitted(app, principal, tool))
}

/// Checks that the caller may call the tool itself; returns the id of the tool.
fn callable(app: &App, principal: &Principal, tool: &str) -> Result<String, Failure> {
    let known = catalog::show(app, tool)?;
    if !principal.may(Scope::Invoke) {
        let problem = Problem::new(
            ErrorCode::Forbidden,
            "a routine that calls a tool requires the scope `invoke` as well",
        );
        return Err(problem.details(json!({ "scope": Scope::Invoke, "action": Action::Invoke })).into());
    }
    let id = known.summary.tool_id;
    permitted(app, principal, &id).map(|()| id)
}

fn permitted(app: &App, principal: &Principal, tool: &str) -> Result<(), Failure> {
    let resource = authorizer::resource(&app.view(), ResourceKind::Tool, tool);
    let decision = app.authorizer().decide(principal, Action::Invoke, resource);
    if decision.allowed { Ok(()) } else { Err(decision.to_problem().into()) }
}
