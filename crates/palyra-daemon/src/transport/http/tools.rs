//! `/v1/tools`.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use palyra_api::Problem;
use palyra_api::tools::{InvokeAnswer, InvokeRequest, MAX_INVOKE_BYTES, ToolInfo, ToolList};
use palyra_common::{ErrorCode, Scope};
use palyra_state::runs::RunListener;
use serde::Deserialize;
use utoipa::IntoParams;

use super::access::Caller;
use super::answer::{Answer, Json};
use super::blocking::blocking;
use super::params::{Asked, Named};
use super::route::Route;
use crate::app::App;
use crate::{catalog, invoke};

/// Maximum number of tools that one search returns.
const MAX_FOUND: u16 = 100;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/tools", Scope::Read, list)
            .summary("List or search tools")
            .query::<ToolQuery>()
            .answers::<ToolList>(),
        Route::get("/v1/tools/{tool}", Scope::Read, show)
            .summary("Show a tool with its schemas, risk and cost")
            .answers::<ToolInfo>(),
        Route::post("/v1/tools/{tool}/invoke", Scope::Invoke, call)
            .summary("Call a tool; the response follows its receipt")
            .takes::<InvokeRequest>(MAX_INVOKE_BYTES)
            .answers::<InvokeAnswer>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct ToolQuery {
    /// Search words; best match first.
    #[param(nullable = false)]
    search: Option<String>,
    /// Maximum number of search results.
    #[param(minimum = 1, maximum = 100, nullable = false)]
    limit: Option<u16>,
}

async fn list(State(app): State<Arc<App>>, Asked(query): Asked<ToolQuery>) -> Answer<ToolList> {
    let limit = query.limit.unwrap_or(10);
    if !(1..=MAX_FOUND).contains(&limit) {
        return Err(Problem::new(ErrorCode::Usage, format!("`limit` must be 1 to {MAX_FOUND}")).into());
    }
    let tools = blocking(&app, move |app| {
        Ok::<_, Problem>(match &query.search {
            Some(words) => catalog::search(app.state(), words, usize::from(limit)),
            None => catalog::list(app.state()),
        })
    });
    Ok(Json(ToolList { tools: tools.await? }))
}

async fn show(State(app): State<Arc<App>>, Named(tool): Named<String>) -> Answer<ToolInfo> {
    blocking(&app, move |app| catalog::show(app, &tool)).await.map(Json)
}

/// Receives the lines of a run; only set within this process.
#[derive(Clone)]
pub(crate) struct Listener(pub(crate) Arc<RunListener>);

async fn call(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    listening: Option<Extension<Listener>>,
    Named(tool): Named<String>,
    Json(request): Json<InvokeRequest>,
) -> Answer<InvokeAnswer> {
    let listener = listening.map(|Extension(Listener(listener))| listener);
    Ok(Json(invoke::invoke(&app, &principal, tool, request, listener).await?))
}
