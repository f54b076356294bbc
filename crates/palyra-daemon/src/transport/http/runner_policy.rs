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
            .summary("Show the runner policy: limits of all runs, and whether inline modules are allowed")
            .answers::<RunnerPolicyShown>(),
        Route::put(PATH, Scope::Admin, set)
            .summary("Replace the runner policy; runs that it no longer allows are cancelled")
            .takes::<RunnerPolicyChange>(SMALL_BODY)
            .answers::<RunnerPolicyShown>(),
        Route::delete(PATH, Scope::Admin, reset)
            .summary("Restore the default runner policy")
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
        app.settings().change_runner_policy(&policy, change.revision, &principal.name)?;
        Ok::<_, PluginSettingError>(show_runner_policy(app.state()))
    })
    .await
    .map(Json)
}

async fn reset(State(app): State<Arc<App>>, Caller(principal): Caller) -> Answer<RunnerPolicyShown> {
    blocking(&app, move |app| {
        app.settings().reset_runner_policy(&principal.name)?;
        Ok::<_, PluginSettingError>(show_runner_policy(app.state()))
    })
    .await
    .map(Json)
}
