//! `/v1/skills/{skill_id}/components`: the components of a skill.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::skills::SkillComponents;
use palyra_common::{ErrorCode, Scope};
use palyra_skills::SkillArtifact;
use palyra_skills::artifact::sidecars::check_sbom;

use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::params::Named;
use super::route::Route;
use crate::app::App;
use crate::plugins::installed;
use crate::to_api::ToApi;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/skills/{skill_id}/components", Scope::Read, components)
            .summary("List the modules and dependencies of a skill from its bill of materials")
            .answers::<SkillComponents>(),
    ]
}

async fn components(State(app): State<Arc<App>>, Named(skill_id): Named<String>) -> Answer<SkillComponents> {
    blocking(&app, move |app| read(app, &skill_id)).await.map(Json)
}

fn read(app: &App, skill_id: &str) -> Result<SkillComponents, Failure> {
    let release = installed(app.state(), skill_id)?.current;
    let damaged = |reason: String| {
        Problem::new(
            ErrorCode::ObjectDamaged,
            format!("cannot read the stored package of `{skill_id}`: {reason}"),
        )
        .hint(format!("check it with `palyra skills verify {skill_id}`"))
    };
    let bytes = app.state().objects().get(&release.archive).map_err(|error| damaged(error.to_string()))?;
    let artifact = SkillArtifact::read(bytes).map_err(|error| damaged(error.to_string()))?;
    let sbom = check_sbom(&artifact, &release.manifest).map_err(|error| damaged(error.to_string()))?;
    Ok(SkillComponents {
        skill_id: skill_id.to_owned(),
        version: release.manifest.version.to_string(),
        modules: sbom.modules.to_api(),
        dependencies: sbom.dependencies.to_api(),
    })
}
