//! `/v1/plugins/{skill_id}/shrink`: a profile with only the grants that runs used.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::plugins::{Profile, ShrinkPlan, ShrinkRequest};
use palyra_common::Scope;
use palyra_policy::Action;

use super::access::Caller;
use super::answer::{Answer, Json};
use super::blocking::blocking;
use super::params::Named;
use super::route::{Route, SMALL_BODY};
use crate::app::App;
use crate::plugins;

const PATH: &str = "/v1/plugins/{skill_id}/shrink";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get(PATH, Scope::Read, plan)
            .summary("List the grants that runs used, and those that a profile could remove")
            .answers::<ShrinkPlan>(),
        Route::post(PATH, Scope::Admin, apply)
            .does(Action::Grant)
            .summary("Apply the profile of a plan; a plan that changed since is rejected")
            .takes::<ShrinkRequest>(SMALL_BODY)
            .answers::<Profile>(),
    ]
}

async fn plan(State(app): State<Arc<App>>, Named(skill_id): Named<String>) -> Answer<ShrinkPlan> {
    blocking(&app, move |app| plugins::plan_shrink(app.state(), &skill_id)).await.map(Json)
}

async fn apply(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
    Json(request): Json<ShrinkRequest>,
) -> Answer<Profile> {
    blocking(&app, move |app| plugins::apply_shrink(app.state(), &skill_id, &request, &principal.name))
        .await
        .map(Json)
}
