//! `/v1/health` and `/v1/daemon/stop`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::daemon::Stopping;
use palyra_api::health::Health;
use palyra_common::Scope;

use super::answer::{Answer, Json};
use super::route::Route;
use crate::app::App;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/health", Scope::Read, health)
            .summary("Check that the daemon is up, and show its version")
            .answers::<Health>(),
        Route::post("/v1/daemon/stop", Scope::Admin, stop)
            .summary("Stop the daemon after running calls have ended")
            .answers::<Stopping>(),
    ]
}

async fn health(State(app): State<Arc<App>>) -> Answer<Health> {
    let state = app.state();
    let stopping = *app.stopping().borrow();
    Ok(Json(Health {
        status: if stopping { "stopping" } else { "ok" }.into(),
        version: env!("CARGO_PKG_VERSION").into(),
        pid: std::process::id(),
        state_root: state.root().path().display().to_string(),
        uptime_ms: u64::try_from(app.uptime().as_millis()).unwrap_or(u64::MAX),
        journal_size: state.journal().durable_head().size,
        generation: state.view().generation(),
    }))
}

async fn stop(State(app): State<Arc<App>>) -> Answer<Stopping> {
    let calls_under_way = u64::try_from(app.calls_under_way()).unwrap_or(u64::MAX);
    app.begin_stop();
    Ok(Json(Stopping { pid: std::process::id(), calls_under_way }))
}
