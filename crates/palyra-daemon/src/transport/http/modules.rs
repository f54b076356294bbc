//! `/v1/modules`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::modules::{MAX_RUN_MODULE_BYTES, RunModuleRequest};
use palyra_api::tools::InvokeAnswer;
use palyra_common::Scope;

use super::access::Caller;
use super::answer::{Answer, Json};
use super::route::Route;
use crate::app::App;
use crate::modules;

pub(super) fn routes() -> Vec<Route> {
    vec![
        // Code that is not installed requires more than a call.
        Route::post("/v1/modules/run", Scope::Invoke, run)
            .and(Scope::Operate)
            .summary("Run a module from the request body, if the runner policy allows inline modules")
            .takes::<RunModuleRequest>(MAX_RUN_MODULE_BYTES)
            .answers::<InvokeAnswer>(),
    ]
}

async fn run(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(request): Json<RunModuleRequest>,
) -> Answer<InvokeAnswer> {
    Ok(Json(modules::run_module(&app, &principal, request).await?))
}
