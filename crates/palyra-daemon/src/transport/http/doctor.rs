//! `/v1/doctor`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::doctor::StateChecks;
use palyra_common::Scope;

use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::route::Route;
use crate::app::App;
use crate::doctor::check_open_state;
use crate::to_api::ToApi;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/doctor", Scope::Operate, check)
            .summary("Read the results of the state checks")
            .answers::<StateChecks>(),
        Route::post("/v1/doctor", Scope::Operate, check)
            .summary("Check the state that this daemon owns, as `palyra doctor` does")
            .answers::<StateChecks>(),
    ]
}

async fn check(State(app): State<Arc<App>>) -> Answer<StateChecks> {
    blocking(&app, |app| Ok::<_, Failure>(StateChecks { checks: check_open_state(app.state()).to_api() }))
        .await
        .map(Json)
}
