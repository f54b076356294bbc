//! `/v1/aliases`: other names of tools, for people and for models.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::tools::{Alias, AliasRequest};
use palyra_common::Scope;

use super::access::Caller;
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::params::Named;
use super::route::{Route, SMALL_BODY};
use crate::app::App;
use crate::catalog;
use crate::problem::not_found;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::put("/v1/aliases/{alias}", Scope::Admin, set)
            .summary("Add an alias of a tool, which MCP clients see")
            .takes::<AliasRequest>(SMALL_BODY)
            .answers::<Alias>(),
        Route::delete("/v1/aliases/{alias}", Scope::Admin, remove)
            .summary("Remove an alias")
            .answers::<Alias>(),
    ]
}

async fn set(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(alias): Named<String>,
    Json(request): Json<AliasRequest>,
) -> Answer<Alias> {
    blocking(&app, move |app| {
        let tool_id = catalog::show(app, &request.tool)?.summary.tool_id;
        app.skills().set_alias(&alias, Some(&tool_id), &principal.name)?;
        Ok::<_, Failure>(Alias { alias, tool_id })
    })
    .await
    .map(Json)
}

async fn remove(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(alias): Named<String>,
) -> Answer<Alias> {
    blocking(&app, move |app| {
        let view = app.view();
        let known = || view.aliases().keys().cloned().collect();
        let tool_id = view.aliases().get(&alias).cloned();
        let tool_id = tool_id.ok_or_else(|| not_found("alias", &alias, known()))?;
        app.skills().set_alias(&alias, None, &principal.name)?;
        Ok::<_, Failure>(Alias { alias, tool_id })
    })
    .await
    .map(Json)
}
