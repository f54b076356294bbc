//! `/v1/surfaces`: documents of calls outside of agent runs.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::sessions::FormSubmit;
use palyra_api::surfaces::{CallSurface, CallSurfaceList};
use palyra_api::tools::InvokeAnswer;
use palyra_common::Scope;
use serde::Deserialize;
use utoipa::IntoParams;

use super::access::Caller;
use super::answer::{Answer, Json};
use super::blocking::blocking;
use super::params::{Asked, Named};
use super::route::Route;
use super::sessions::limit;
use crate::app::App;
use crate::surfaces;

/// Maximum body of a submit: a form with every field at its limit.
pub(super) const MAX_SUBMIT_BYTES: usize = 2 << 20;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/surfaces", Scope::Read, list)
            .summary("Documents that tools returned to calls outside of agent runs, newest first")
            .query::<SurfacesQuery>()
            .answers::<CallSurfaceList>(),
        Route::get("/v1/surfaces/{surface_id}", Scope::Read, show)
            .summary("One document, with the tool that made it and the form that was submitted")
            .answers::<CallSurface>(),
        Route::post("/v1/surfaces/{surface_id}/submit", Scope::Invoke, submit)
            .pipeline_authorizes()
            .summary("Submit a form of a document, once: its values go to the tool that it names")
            .takes::<FormSubmit>(MAX_SUBMIT_BYTES)
            .answers::<InvokeAnswer>(),
    ]
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct SurfacesQuery {
    /// Only those before this id, which are older: where an earlier answer stopped.
    before: Option<String>,
    /// How many at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u16>,
}

async fn list(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Asked(query): Asked<SurfacesQuery>,
) -> Answer<CallSurfaceList> {
    let limit = limit(query.limit)?;
    let listed = blocking(&app, move |app| surfaces::list(app, &principal, query.before.as_deref(), limit));
    let surfaces = listed.await?;
    let next = surfaces.last().filter(|_| surfaces.len() == limit).map(|last| last.surface_id.clone());
    Ok(Json(CallSurfaceList { surfaces, next }))
}

async fn show(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(surface_id): Named<String>,
) -> Answer<CallSurface> {
    Ok(Json(surfaces::show(&app, &principal, &surface_id).await?))
}

async fn submit(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(surface_id): Named<String>,
    Json(form): Json<FormSubmit>,
) -> Answer<InvokeAnswer> {
    Ok(Json(surfaces::submit(&app, &principal, surface_id, form).await?))
}
