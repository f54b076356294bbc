//! `/v1/runner-policy`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::runner_policy::{RunnerPolicyChange, RunnerPolicyShown};
use palyra_common::Scope;
use palyra_state::PluginSettingError;

use super::access::Caller;
use super::answer::{Answer, Json};
use super::blocking::blocking;
use super::route::{Route, SMALL_BODY};
use crate::app::App;
use crate::plugins::{read_runner_policy, show_runner_policy};

const PATH: &str = "/v1/runner-policy";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get(PATH, Scope::Read, show)
            .summary("What every run is under: ceilings, doors, and whether a module may come with its call")
            .answers::<RunnerPolicyShown>(),
        Route::put(PATH, Scope::Admin, set)
            .summary("Put another policy of the runner in force; runs it does not allow any more are ended")
            .takes::<RunnerPolicyChange>(SMALL_BODY)
            .answers::<RunnerPolicyShown>(),
        Route::delete(PATH, Scope::Admin, reset)
            .summary("Go back to the runner's policy every state root begins with")
            .answers::<RunnerPolicyShown>(),
    ]
}

async fn show(State(app): State<Arc<App>>) -> Answer<RunnerPolicyShown> {
    Ok(Json(show_runner_policy(app.state())))
}

async fn set(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(change): Json<RunnerPolicyChange>,
) -> Answer<RunnerPolicyShown> {
    blocking(&app, move |app| {
        let policy = read_runner_policy(change.policy)?;
        app.state().change_runner_policy(&policy, change.revision, &principal.name)?;
        Ok::<_, PluginSettingError>(show_runner_policy(app.state()))
    })
    .await
    .map(Json)
}

async fn reset(State(app): State<Arc<App>>, Caller(principal): Caller) -> Answer<RunnerPolicyShown> {
    blocking(&app, move |app| {
        app.state().reset_runner_policy(&principal.name)?;
        Ok::<_, PluginSettingError>(show_runner_policy(app.state()))
    })
    .await
    .map(Json)
}
