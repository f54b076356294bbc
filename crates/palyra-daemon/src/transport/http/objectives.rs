//! `/v1/objectives`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::objectives::{Objective, ObjectiveList, ObjectiveRequest};
use palyra_api::routines::RemovedName;
use palyra_common::{Principal, Scope};
use palyra_control_plane::{ControlError, ObjectiveState};

use super::access::Caller;
use super::answer::{Answer, Json};
use super::blocking::blocking;
use super::params::Named;
use super::route::{Route, SMALL_BODY};
use crate::app::App;
use crate::routines::convert;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/objectives", Scope::Read, list)
            .summary("List objectives with their use")
            .answers::<ObjectiveList>(),
        Route::post("/v1/objectives", Scope::Operate, add)
            .summary("Create an objective")
            .takes::<ObjectiveRequest>(SMALL_BODY)
            .answers::<Objective>(),
        Route::get("/v1/objectives/{objective}", Scope::Read, show)
            .summary("Show an objective")
            .answers::<Objective>(),
        Route::delete("/v1/objectives/{objective}", Scope::Operate, remove)
            .summary("Remove an objective that no routine uses")
            .answers::<RemovedName>(),
        Route::post("/v1/objectives/{objective}/pause", Scope::Operate, pause)
            .summary("Pause the routines of an objective")
            .answers::<Objective>(),
        Route::post("/v1/objectives/{objective}/resume", Scope::Operate, resume)
            .summary("Resume the routines of an objective")
            .answers::<Objective>(),
        Route::post("/v1/objectives/{objective}/done", Scope::Operate, done)
            .summary("Mark an objective as done and stop its routines")
            .answers::<Objective>(),
    ]
}

async fn list(State(app): State<Arc<App>>) -> Answer<ObjectiveList> {
    let objectives = blocking(&app, |app| {
        let control = app.control();
        let to_api = |objective| convert::objective(control, &objective);
        control.store().objectives()?.into_iter().map(to_api).collect::<Result<Vec<_>, ControlError>>()
    });
    Ok(Json(ObjectiveList { objectives: objectives.await? }))
}

async fn show(State(app): State<Arc<App>>, Named(name): Named<String>) -> Answer<Objective> {
    let shown = blocking(&app, move |app| {
        let control = app.control();
        convert::objective(control, &control.store().objective(&name)?)
    });
    shown.await.map(Json)
}

async fn add(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(request): Json<ObjectiveRequest>,
) -> Answer<Objective> {
    let added = blocking(&app, move |app| {
        let control = app.control();
        let objective = convert::read_objective(request, app.now_ms());
        control.store().add_objective(&objective, &principal.name)?;
        convert::objective(control, &objective)
    });
    added.await.map(Json)
}

async fn remove(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<RemovedName> {
    let removed = blocking(&app, move |app| {
        app.control().store().remove_objective(&name, &principal.name).map(|()| RemovedName { name })
    });
    removed.await.map(Json)
}

async fn pause(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<Objective> {
    set(&app, principal, name, ObjectiveState::Paused).await
}

async fn resume(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<Objective> {
    set(&app, principal, name, ObjectiveState::Active).await
}

async fn done(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(name): Named<String>,
) -> Answer<Objective> {
    set(&app, principal, name, ObjectiveState::Done).await
}

async fn set(
    app: &Arc<App>,
    principal: Arc<Principal>,
    name: String,
    to: ObjectiveState,
) -> Answer<Objective> {
    let set = blocking(app, move |app| {
        let control = app.control();
        let objective = control.store().set_objective(&name, to, &principal.name)?;
        convert::objective(control, &objective)
    });
    set.await.map(Json)
}
