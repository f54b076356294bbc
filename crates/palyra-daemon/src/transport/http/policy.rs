//! `/v1/policy`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::policy::{
    AccessPolicy, MAX_POLICY_BODY, PolicyAnswer, PolicyChange, PolicyQuestion, PolicyReset,
};
use palyra_common::Scope;

use super::access::Caller;
use super::answer::{Answer, Json};
use super::blocking::blocking;
use super::route::{Route, SMALL_BODY};
use crate::app::App;
use crate::policy::requests;

const PATH: &str = "/v1/policy";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get(PATH, Scope::Read, show)
            .summary("Show the access policy and its rules")
            .answers::<AccessPolicy>(),
        Route::put(PATH, Scope::Admin, set)
            .summary(
                "Replace the access policy; an invalid policy, or one that locks out the owner, is rejected",
            )
            .takes::<PolicyChange>(MAX_POLICY_BODY)
            .answers::<AccessPolicy>(),
        Route::delete(PATH, Scope::Admin, reset)
            .summary("Restore the default access policy")
            .answers::<PolicyReset>(),
        Route::post("/v1/policy/check", Scope::Read, check)
            .summary("Check whether a request would be allowed, and by which rules")
            .takes::<PolicyQuestion>(SMALL_BODY)
            .answers::<PolicyAnswer>(),
    ]
}

async fn show(State(app): State<Arc<App>>) -> Answer<AccessPolicy> {
    blocking(&app, |app| Ok::<_, Problem>(requests::show(app.state()))).await.map(Json)
}

async fn set(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(change): Json<PolicyChange>,
) -> Answer<AccessPolicy> {
    blocking(&app, move |app| {
        requests::change(app.state(), &change.text, &principal.name)?;
        Ok::<_, Problem>(requests::show(app.state()))
    })
    .await
    .map(Json)
}

async fn reset(State(app): State<Arc<App>>, Caller(principal): Caller) -> Answer<PolicyReset> {
    let removed = blocking(&app, move |app| app.settings().reset_access_policy(&principal.name)).await?;
    let revision = palyra_policy::PolicySet::standard().revision().to_string();
    Ok(Json(PolicyReset { removed, revision }))
}

async fn check(State(app): State<Arc<App>>, Json(question): Json<PolicyQuestion>) -> Answer<PolicyAnswer> {
    blocking(&app, move |app| requests::evaluate(app.state(), question)).await.map(Json)
}
