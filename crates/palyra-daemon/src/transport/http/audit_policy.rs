//! `/v1/audit-policy`.

use std::sync::Arc;

use axum::extract::State;
use palyra_api::Problem;
use palyra_api::audit_policy::{
    AdvisoriesKept, AdvisoryList, AuditPolicyChange, AuditPolicyChanged, AuditPolicyShown, AuditedAgain,
    MAX_ADVISORY_BODY, MAX_AUDIT_POLICY_BODY,
};
use palyra_api::skills::SkillStatus;
use palyra_common::limits::MAX_AUDIT_POLICY_BYTES;
use palyra_common::{ErrorCode, Principal, Scope};
use palyra_skills::audit::{self, AuditPolicy};
use palyra_state::ReAudit;

use super::access::Caller;
use super::answer::{Answer, Failure, Json};
use super::blocking::blocking;
use super::route::Route;
use crate::app::App;
use crate::to_api::ToApi;

const PATH: &str = "/v1/audit-policy";

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::get(PATH, Scope::Read, show)
            .summary("Show the audit policy and the list of known-vulnerable dependencies")
            .answers::<AuditPolicyShown>(),
        Route::put(PATH, Scope::Admin, set)
            .summary("Replace the audit policy; all installed skills are audited at once")
            .takes::<AuditPolicyChange>(MAX_AUDIT_POLICY_BODY)
            .answers::<AuditPolicyChanged>(),
        Route::delete(PATH, Scope::Admin, reset)
            .summary("Restore the default audit policy; the list is kept")
            .answers::<AuditPolicyChanged>(),
        Route::put("/v1/audit-policy/advisories", Scope::Admin, keep)
            .summary(
                "Import a list of known-vulnerable dependencies; all installed skills are checked against it",
            )
            .takes::<AdvisoryList>(MAX_ADVISORY_BODY)
            .answers::<AdvisoriesKept>(),
    ]
}

async fn show(State(app): State<Arc<App>>) -> Answer<AuditPolicyShown> {
    blocking(&app, |app| Ok::<_, Failure>(shown(app.view().audit_policy()))).await.map(Json)
}

async fn set(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(change): Json<AuditPolicyChange>,
) -> Answer<AuditPolicyChanged> {
    blocking(&app, move |app| put(app, &principal, &read(&change.text)?)).await.map(Json)
}

async fn reset(State(app): State<Arc<App>>, Caller(principal): Caller) -> Answer<AuditPolicyChanged> {
    blocking(&app, move |app| put(app, &principal, &AuditPolicy::default())).await.map(Json)
}

async fn keep(
    State(app): State<Arc<App>>,
    Caller(principal): Caller,
    Json(list): Json<AdvisoryList>,
) -> Answer<AdvisoriesKept> {
    blocking(&app, move |app| keep_list(app, &principal, &list)).await.map(Json)
}

fn shown(policy: &AuditPolicy) -> AuditPolicyShown {
    let settings = policy.to_api();
    AuditPolicyShown {
        default: settings == AuditPolicy::default().to_api(),
        text: policy.to_toml(),
        policy: settings,
        digest: policy.digest().to_string(),
        advisories: policy.advisories().map(ToApi::to_api),
    }
}

fn read(text: &str) -> Result<AuditPolicy, Failure> {
    if text.len() > MAX_AUDIT_POLICY_BYTES {
        let message =
            format!("the audit policy has {} bytes, the limit is {MAX_AUDIT_POLICY_BYTES}", text.len());
        return Err(Problem::new(ErrorCode::InvalidPolicy, message).into());
    }
    Ok(AuditPolicy::from_toml(text)?)
}

fn put(app: &App, principal: &Principal, policy: &AuditPolicy) -> Result<AuditPolicyChanged, Failure> {
    let state = app.state();
    let audited = state.skills().set_audit_policy(policy, &principal.name)?;
    Ok(AuditPolicyChanged {
        version: policy.version,
        digest: state.view().audit_policy().digest().to_string(),
        audited_again: each(audited),
    })
}

fn keep_list(app: &App, principal: &Principal, list: &AdvisoryList) -> Result<AdvisoriesKept, Failure> {
    let text =
        serde_json::to_string(list).map_err(|error| Problem::new(ErrorCode::Internal, error.to_string()))?;
    let (state, list) = (app.state(), audit::AdvisoryList::from_json(&text)?);
    let before = state.view().audit_policy().advisories().map(|list| list.date.clone());
    let audited = state.skills().keep_advisories(&list, &principal.name)?;
    Ok(AdvisoriesKept { list: list.to_api(), before, audited_again: each(audited) })
}

fn each(audited: Vec<ReAudit>) -> Vec<AuditedAgain> {
    let one = |ReAudit { skill_id, version: _, payload: _, result }| {
        let (runtime_status, problem) = match result {
            Ok(outcome) => (outcome?.status.to_api(), None),
            Err(error) => (SkillStatus::Quarantined, Some(error.to_string())),
        };
        Some(AuditedAgain { skill_id, runtime_status, problem })
    };
    // An intact release that is kept for rollback has no status.
    audited.into_iter().filter_map(one).collect()
}
