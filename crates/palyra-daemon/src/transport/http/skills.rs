//! `/v1/skills`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::skills::{SkillInfo, SkillList};
use palyra_common::Scope;
use palyra_skills::RuntimeStatus;
use palyra_skills::consent::ConsentRequest;

use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::params::Named;
use super::route::Route;
use super::shape::shape;
use crate::app::App;
use crate::problem::not_found;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/skills", Scope::Read, list)
            .summary("Every installed skill with its state")
            .answers::<SkillList>(),
        Route::get("/v1/skills/{skill_id}", Scope::Read, info)
            .summary("Who made a skill, what it can touch, what it used, why it is in its state, what would change it")
            .answers::<SkillInfo>(),
    ]
}

async fn list(State(app): State<Arc<App>>) -> Answer<SkillList> {
    let skills = blocking(&app, |app| shape(&app.state().list())).await?;
    Ok(Json(SkillList { skills }))
}

async fn info(State(app): State<Arc<App>>, Named(skill_id): Named<String>) -> Answer<SkillInfo> {
    blocking(&app, move |app| read_info(app, &skill_id)).await.map(Json)
}

fn read_info(app: &App, skill_id: &str) -> Result<SkillInfo, Failure> {
    let state = app.state();
    let view = state.view();
    if view.index().get(skill_id).is_none() {
        let known = view.index().iter().map(|record| record.skill_id.clone()).collect();
        return Err(not_found("skill", skill_id, known).into());
    }
    let info = state.info(skill_id)?;
    let mut told: SkillInfo = shape(&info)?;
    told.consent_digest = consent_wanted(&info).map(|request| request.digest().to_string());
    Ok(told)
}

/// What somebody has to agree to: the release that waits, else the current one.
fn consent_wanted(info: &palyra_state::SkillInfo) -> Option<ConsentRequest> {
    let awaits = |status| status == RuntimeStatus::AwaitingConsent;
    let current = &info.entry.record.current;
    match &info.waiting {
        Some(waiting) if awaits(waiting.status) || awaits(info.entry.runtime_status) => {
            Some(waiting.consent.clone())
        }
        None if awaits(info.entry.runtime_status) => {
            Some(ConsentRequest::new(&current.manifest, current.payload, None))
        }
        _ => None,
    }
}
