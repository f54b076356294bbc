//! `/v1/packages`: the content of a package, and the effect of installing it; nothing is stored or pinned.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::packages::{MAX_PACKAGE_BYTES, PACKAGE_TYPE, PackageQuery, PackageVerified};
use palyra_api::skills::{InstallOutcome, InstallQuery, SkillAudits};
use palyra_common::Scope;

use super::answer::{Answer, Failure, Json};
use super::params::Asked;
use super::route::Route;
use super::skills::install_options;
use super::upload::Upload;
use crate::app::App;
use crate::packages::Background;
use crate::problem::ToProblem;
use crate::to_api::ToApi;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/packages/verify", Scope::Read, verify)
            .summary("Verify the bytes and signatures of a package and the trust of its publisher")
            .query::<PackageQuery>()
            .takes_bytes(PACKAGE_TYPE, MAX_PACKAGE_BYTES)
            .answers::<PackageVerified>(),
        Route::post("/v1/packages/audit", Scope::Read, audit)
            .summary("Audit a package without running it")
            .takes_bytes(PACKAGE_TYPE, MAX_PACKAGE_BYTES)
            .answers::<SkillAudits>(),
        Route::post("/v1/packages/plan", Scope::Read, plan)
            .summary("Show what installing a package would do, and what an update would change")
            .query::<InstallQuery>()
            .takes_bytes(PACKAGE_TYPE, MAX_PACKAGE_BYTES)
            .answers::<InstallOutcome>(),
    ]
}

async fn verify(
    State(app): State<Arc<App>>,
    Asked(query): Asked<PackageQuery>,
    upload: Upload,
) -> Answer<PackageVerified> {
    let verify = move |app: &App, bytes| Background::of(app.state()).verify(bytes, query.allow_tofu);
    upload.judge(&app, verify).await.map(Json)
}

async fn audit(State(app): State<Arc<App>>, upload: Upload) -> Answer<SkillAudits> {
    upload.judge(&app, |app, bytes| Background::of(app.state()).audit(bytes)).await.map(Json)
}

async fn plan(
    State(app): State<Arc<App>>,
    Asked(query): Asked<InstallQuery>,
    upload: Upload,
) -> Answer<InstallOutcome> {
    // A plan never contains a consent.
    let options = install_options(&query, "anonymous")?;
    let plan = move |app: &App, bytes| {
        let state = app.state();
        let planned = if query.update {
            state.skills().plan_update(&options.request(bytes))?
        } else {
            state
                .skills()
                .plan_install(bytes, &options)
                .map_err(|refusal| Failure::from(refusal.to_problem()))?
        };
        Ok::<_, Failure>(planned.to_api())
    };
    upload.judge(&app, plan).await.map(Json)
}
