//! Operations on an installed skill.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::skills::{
    DisableBody, QuarantineBody, RemoveQuery, RemovedSkill, SkillAudit, SkillAudits, SkillChanged,
    SkillPrepared, SkillStatus, SkillVerified,
};
use palyra_common::Principal;
use palyra_skills::SkillInventoryEntry;
use palyra_state::ReAudit;

use super::known;
use crate::app::App;
use crate::problem::ToProblem;
use crate::to_api::ToApi;
use crate::transport::http::access::Caller;
use crate::transport::http::answer::{Answer, Failure, Json};
use crate::transport::http::blocking::blocking;
use crate::transport::http::params::{Asked, Named};

pub(super) async fn prepare(
    State(app): State<Arc<App>>,
    Named(skill_id): Named<String>,
) -> Answer<SkillPrepared> {
    known(&app, &skill_id)?;
    app.prepare(&skill_id).await.map_err(|error| error.to_problem())?;
    Ok(Json(SkillPrepared { skill_id }))
}

pub(super) async fn verify(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
) -> Answer<SkillVerified> {
    blocking(&app, move |app| verify_stored(app, &principal, skill_id)).await.map(Json)
}

pub(super) async fn audit(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
) -> Answer<SkillAudits> {
    blocking(&app, move |app| {
        known(app, &skill_id)?;
        audit_again(app, &principal, Some(&skill_id))
    })
    .await
    .map(Json)
}

pub(super) async fn audit_all(State(app): State<Arc<App>>, Caller(principal): Caller) -> Answer<SkillAudits> {
    blocking(&app, move |app| audit_again(app, &principal, None)).await.map(Json)
}

pub(super) async fn quarantine(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
    Json(body): Json<QuarantineBody>,
) -> Answer<SkillChanged> {
    blocking(&app, move |app| {
        known(app, &skill_id)?;
        app.skills().quarantine(&skill_id, &body.reason, &principal.name)?;
        changed(app, skill_id, Some(body.reason))
    })
    .await
    .map(Json)
}

pub(super) async fn disable(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
    Json(body): Json<DisableBody>,
) -> Answer<SkillChanged> {
    blocking(&app, move |app| {
        known(app, &skill_id)?;
        let reason = body.reason.as_deref().unwrap_or_default();
        app.skills().disable(&skill_id, reason, &principal.name)?;
        changed(app, skill_id, body.reason)
    })
    .await
    .map(Json)
}

pub(super) async fn remove(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Named(skill_id): Named<String>,
    Asked(query): Asked<RemoveQuery>,
) -> Answer<RemovedSkill> {
    blocking(&app, move |app| take_out(app, &principal, skill_id, query)).await.map(Json)
}

fn take_out(
    app: &App,
    principal: &Principal,
    skill_id: String,
    query: RemoveQuery,
) -> Result<RemovedSkill, Failure> {
    let (state, record) = (app.state(), known(app, &skill_id)?);
    state.skills().remove(&skill_id, &principal.name)?;
    let forgotten = if query.keep_data { None } else { Some(state.skills().forget_storage(&skill_id)?) };
    Ok(RemovedSkill {
        skill_id,
        version: record.current.manifest.version.to_string(),
        publisher: record.publisher,
        forgotten_keys: forgotten.map(|keys| keys as u64),
    })
}

fn verify_stored(app: &App, principal: &Principal, skill_id: String) -> Result<SkillVerified, Failure> {
    known(app, &skill_id)?;
    let state = app.state();
    let verification = state.skills().verify_installed(&skill_id, &principal.name)?;
    let skill = &verification.skill;
    Ok(SkillVerified {
        skill_id,
        version: skill.manifest().version.to_string(),
        payload: skill.payload().to_string(),
        sha256: skill.artifact().archive_digest().to_string(),
        signers: skill.signers().iter().map(|key| key.key_id().to_string()).collect(),
        steps: verification.steps.to_api(),
    })
}

fn audit_again(app: &App, principal: &Principal, skill_id: Option<&str>) -> Result<SkillAudits, Failure> {
    let state = app.state();
    let audited: Vec<ReAudit> = state.skills().re_audit(skill_id, &principal.name)?;
    Ok(SkillAudits { audits: audited.into_iter().map(one_audit).collect() })
}

fn one_audit(audited: ReAudit) -> SkillAudit {
    let ReAudit { skill_id, version, payload, result } = audited;
    let audit = SkillAudit {
        skill_id,
        version: Some(version),
        payload: payload.to_string(),
        runtime_status: None,
        report: None,
        problem: None,
        kept_for_rollback: false,
    };
    match result {
        Ok(Some(outcome)) => SkillAudit {
            runtime_status: Some(outcome.status.to_api()),
            report: outcome.audit.to_api(),
            ..audit
        },
        Ok(None) => SkillAudit { kept_for_rollback: true, ..audit },
        Err(error) => {
            let problem = Some(error.to_string());
            SkillAudit { runtime_status: Some(SkillStatus::Quarantined), problem, ..audit }
        }
    }
}

/// Returns the current status of the skill.
fn changed(app: &App, skill_id: String, reason: Option<String>) -> Result<SkillChanged, Failure> {
    let record = app.view().index().get(&skill_id).cloned();
    let entry = record.map(|record| SkillInventoryEntry::new(record, app.state().platform()));
    Ok(SkillChanged {
        version: entry.as_ref().map(|entry| entry.record.current.manifest.version.to_string()),
        runtime_status: entry.map(|entry| entry.runtime_status.to_api()),
        skill_id,
        reason,
    })
}
