//! `/v1/skills`.

mod install;
mod operate;
mod pipeline;

pub(super) use install::install_options;

use std::sync::Arc;

use axum::extract::State;
use palyra_api::packages::{MAX_PACKAGE_BYTES, PACKAGE_TYPE};
use palyra_api::skills::{
    ConsentAsked, ConsentBody, DisableBody, EnableBody, InstallOutcome, InstallQuery, QuarantineBody,
    RemoveQuery, RemovedSkill, RollbackBody, SkillAudits, SkillChanged, SkillEntry, SkillInfo, SkillList,
    SkillPrepared, SkillVerified,
};
use palyra_common::Scope;
use palyra_policy::Action;
use palyra_skills::consent::ConsentRequest;
use palyra_skills::{RuntimeStatus, SkillInventoryEntry, SkillRecord};
use serde::Deserialize;
use utoipa::IntoParams;

use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::params::{Asked, Named, page_limit};
use super::route::{Route, SMALL_BODY};
use crate::app::App;
use crate::problem::not_found;
use crate::to_api::ToApi;

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get("/v1/skills", Scope::Read, list)
            .summary("List installed skills and their status")
            .query::<SkillsQuery>()
            .answers::<SkillList>(),
        Route::post("/v1/skills", Scope::Operate, install::install)
            .does(Action::Install)
            .pipeline_authorizes()
            .summary("Install a package, or update an installed skill")
            .query::<InstallQuery>()
            .takes_bytes(PACKAGE_TYPE, MAX_PACKAGE_BYTES)
            .answers::<InstallOutcome>(),
        Route::post("/v1/skills/audit", Scope::Operate, operate::audit_all)
            .summary("Audit all installed skills; the verdicts take effect")
            .answers::<SkillAudits>(),
        Route::get("/v1/skills/{skill_id}", Scope::Read, info)
            .summary("Show a skill: publisher, permissions, use and status")
            .answers::<SkillInfo>(),
        Route::delete("/v1/skills/{skill_id}", Scope::Operate, operate::remove)
            .does(Action::Install)
            .summary("Remove a skill with its consents and stored data; its id stays with its publisher")
            .query::<RemoveQuery>()
            .answers::<RemovedSkill>(),
        Route::post("/v1/skills/{skill_id}/verify", Scope::Operate, operate::verify)
            .summary("Verify the stored bytes of a skill again; a mismatch quarantines it")
            .answers::<SkillVerified>(),
        Route::post("/v1/skills/{skill_id}/prepare", Scope::Operate, operate::prepare)
            .summary("Compile the modules of a skill, so that its first call does not wait; one that describes something else is quarantined")
            .answers::<SkillPrepared>(),
        Route::post("/v1/skills/{skill_id}/audit", Scope::Operate, operate::audit)
            .summary("Audit a skill again; the verdict takes effect")
            .answers::<SkillAudits>(),
        Route::post("/v1/skills/{skill_id}/quarantine", Scope::Operate, operate::quarantine)
            .summary("Quarantine a skill until it is enabled again")
            .takes::<QuarantineBody>(SMALL_BODY)
            .answers::<SkillChanged>(),
        Route::post("/v1/skills/{skill_id}/disable", Scope::Operate, operate::disable)
            .summary("Disable a skill")
            .takes::<DisableBody>(SMALL_BODY)
            .answers::<SkillChanged>(),
        Route::post("/v1/skills/{skill_id}/enable", Scope::Admin, install::enable)
            .does(Action::Promote)
            .summary("Lift a quarantine, or enable a skill")
            .takes::<EnableBody>(SMALL_BODY)
            .answers::<InstallOutcome>(),
        Route::get("/v1/skills/{skill_id}/consent", Scope::Read, install::consent_asked)
            .summary("Show the requested permissions and the digest for consent")
            .answers::<ConsentAsked>(),
        Route::post("/v1/skills/{skill_id}/consent", Scope::Admin, install::consent)
            .does(Action::Promote)
            .summary("Consent to the permissions of a skill or its update")
            .takes::<ConsentBody>(SMALL_BODY)
            .answers::<InstallOutcome>(),
        Route::post("/v1/skills/{skill_id}/rollback", Scope::Operate, install::rollback)
            .does(Action::Install)
            .pipeline_authorizes()
            .summary("Roll back to an earlier release")
            .takes::<RollbackBody>(SMALL_BODY)
            .answers::<InstallOutcome>(),
    ]
}

/// Maximum number of skills in one response.
const MAX_LISTED: u16 = 500;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
struct SkillsQuery {
    /// Only items after this id, to continue an earlier list.
    after: Option<String>,
    /// Maximum number of results; 100 by default.
    #[param(minimum = 1, maximum = 500)]
    limit: Option<u16>,
}

async fn list(State(app): State<Arc<App>>, Asked(query): Asked<SkillsQuery>) -> Answer<SkillList> {
    let limit = page_limit(query.limit, MAX_LISTED)?;
    blocking(&app, move |app| {
        let mut skills = app.skills().list();
        skills.retain(|entry| query.after.as_ref().is_none_or(|after| entry.record.skill_id > *after));
        let more = skills.len() > limit;
        skills.truncate(limit);
        let next = skills.last().filter(|_| more).map(|entry| entry.record.skill_id.clone());
        let shown =
            |entry: &SkillInventoryEntry| SkillEntry { code: app.code_of(&entry.record), ..entry.to_api() };
        Ok::<_, Failure>(SkillList { skills: skills.iter().map(shown).collect(), next })
    })
    .await
    .map(Json)
}

async fn info(State(app): State<Arc<App>>, Named(skill_id): Named<String>) -> Answer<SkillInfo> {
    blocking(&app, move |app| read_info(app, &skill_id)).await.map(Json)
}

fn read_info(app: &App, skill_id: &str) -> Result<SkillInfo, Failure> {
    known(app, skill_id)?;
    let info = app.skills().info(skill_id)?;
    let consent_digest = consent_wanted(&info).map(|request| request.digest().to_string());
    let entry = SkillEntry { code: app.code_of(&info.entry.record), ..info.entry.to_api() };
    Ok(SkillInfo { consent_digest, entry, ..info.to_api() })
}

/// Returns the record of a skill, or a problem with the names that exist.
fn known(app: &App, skill_id: &str) -> Result<SkillRecord, Failure> {
    let view = app.view();
    view.index().get(skill_id).cloned().ok_or_else(|| {
        let known = view.index().iter().map(|record| record.skill_id.clone()).collect();
        not_found("skill", skill_id, known).into()
    })
}

/// Returns the consent request of the pending release, or else of the current one.
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
