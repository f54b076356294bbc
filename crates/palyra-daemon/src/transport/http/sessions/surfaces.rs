//! Surfaces: the documents of a session.

use std::sync::Arc;

use axum::extract::State;
use palyra_agent::SurfaceState;
use palyra_api::sessions::{Surface, SurfaceList};
use palyra_common::Scope;

use super::super::access::Caller;
use super::super::answer::{Answer, Json};
use super::super::blocking::blocking;
use super::super::params::Named;
use super::super::route::Route;
use super::read;
use crate::agent::surface_of;
use crate::app::App;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/sessions/{session_id}/surfaces", Scope::Read, list)
            .summary("List the documents of a session")
            .answers::<SurfaceList>(),
        Route::get("/v1/sessions/{session_id}/surfaces/{surface}", Scope::Read, show)
            .summary("Show the newest revision of a document, with the tool that created it")
            .answers::<Surface>(),
    ]
}

async fn list(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(session_id): Named<String>,
) -> Answer<SurfaceList> {
    app.session_of(&principal, &session_id).await?;
    let rows = blocking(&app, move |app| app.sessions().surfaces(&session_id)).await?;
    let surfaces: Vec<Surface> = rows
        .iter()
        .map(|bytes| read::<SurfaceState>(bytes).map(|one| one.to_api()))
        .collect::<Result<_, _>>()?;
    Ok(Json(SurfaceList { surfaces }))
}

async fn show(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named((session_id, surface)): Named<(String, String)>,
) -> Answer<Surface> {
    let session = app.session_of(&principal, &session_id).await?;
    Ok(Json(surface_of(&app, &session, &surface).await?.to_api()))
}
