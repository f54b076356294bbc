//! The one table of routes, and the router that follows from it.

use palyra_common::ErrorCode;
use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use palyra_api::Problem;

use super::access::{Needs, admit, authorise};
use super::answer::Failure;
use super::route::Route;
use super::{
    aliases, approvals, audit_policy, backup, channels, deliveries, doctor, events, health, hooks, journal,
    keys, mcp, modules, objectives, openapi, packages, plugins, policy, routines, runner_policy, runs,
    skills, telemetry, tokens, tools, trust, vault,
};
use crate::app::App;

/// Every route there is.
pub fn routes() -> Vec<Route> {
    [
        health::routes(),
        telemetry::routes(),
        openapi::routes(),
        events::routes(),
        tokens::routes(),
        skills::routes(),
        packages::routes(),
        tools::routes(),
        modules::routes(),
        aliases::routes(),
        approvals::routes(),
        runs::routes(),
        routines::routes(),
        objectives::routes(),
        plugins::routes(),
        hooks::routes(),
        channels::routes(),
        deliveries::routes(),
        policy::routes(),
        audit_policy::routes(),
        runner_policy::routes(),
        trust::routes(),
        vault::routes(),
        keys::routes(),
        journal::routes(),
        backup::routes(),
        doctor::routes(),
        mcp::routes(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The router over an app.
pub fn router(app: &Arc<App>) -> Router {
    let mut router = Router::new();
    for route in routes() {
        let needs = (Arc::clone(app), Needs::of(&route));
        router = router.route(route.path, route.handler.route_layer(from_fn_with_state(needs, authorise)));
    }
    router
        .fallback(unknown_path)
        .method_not_allowed_fallback(unknown_method)
        .layer(from_fn_with_state(Arc::clone(app), admit))
        .with_state(Arc::clone(app))
}

async fn unknown_path() -> Failure {
    Problem::new(ErrorCode::NotFound, "there is no such path")
        .hint("`GET /v1/openapi.json` lists every one")
        .into()
}

async fn unknown_method() -> Failure {
    Problem::new(ErrorCode::MethodNotAllowed, "this path is not for this method").into()
}
