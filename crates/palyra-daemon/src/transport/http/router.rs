//! The table of all routes, and the router built from it.

use palyra_common::ErrorCode;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use http::Method;
use palyra_api::Problem;

use super::access::{Needs, admit, authorise};
use super::answer::Failure;
use super::route::Route;
use super::{
    activity, aliases, approval_context, approvals, audit_policy, backup, channels, console, deliveries,
    doctor, events, health, hooks, journal, keys, mcp, models, modules, objectives, openapi, packages, pages,
    plugins, policy, publisher_history, routines, run_steps, runner_policy, runs, sessions, shrink,
    skill_components, skills, surfaces, telemetry, tokens, tools, trust, vault,
};
use crate::app::App;

/// Returns every route of the API.
pub fn routes() -> Vec<Route> {
    [
        health::routes(),
        telemetry::routes(),
        openapi::routes(),
        events::routes(),
        tokens::routes(),
        console::routes(),
        skills::routes(),
        skill_components::routes(),
        packages::routes(),
        tools::routes(),
        modules::routes(),
        models::routes(),
        aliases::routes(),
        approvals::routes(),
        approval_context::routes(),
        runs::routes(),
        activity::routes(),
        run_steps::routes(),
        sessions::routes(),
        surfaces::routes(),
        routines::routes(),
        objectives::routes(),
        plugins::routes(),
        shrink::routes(),
        hooks::routes(),
        channels::routes(),
        deliveries::routes(),
        policy::routes(),
        audit_policy::routes(),
        runner_policy::routes(),
        trust::routes(),
        publisher_history::routes(),
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

/// Builds the router over an app.
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

/// Serves the console for paths outside of the API, because it has its own routes.
async fn unknown_path(request: Request) -> Result<Response, Failure> {
    if pages::is_page(request.method(), request.uri().path()) {
        return Ok(pages::respond(palyra_console_page::FILES, request.uri().path(), request.headers()));
    }
    let problem = Problem::new(ErrorCode::NotFound, "unknown path");
    Err(problem.hint("`GET /v1/openapi.json` lists every path").into())
}

/// Returns whether a request is public: files of the console, and signing in.
pub(super) fn is_public(method: &Method, path: &str) -> bool {
    pages::is_page(method, path)
        || (path == "/console/session" && matches!(*method, Method::GET | Method::POST))
}

async fn unknown_method() -> Failure {
    Problem::new(ErrorCode::MethodNotAllowed, "method not allowed for this path").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_paths_are_those_of_public_routes() {
        for route in routes() {
            assert_eq!(is_public(&route.method, route.path), route.public, "{} {}", route.method, route.path);
        }
    }
}
