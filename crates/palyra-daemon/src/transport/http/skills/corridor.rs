//! What came of the corridor, as the API tells it.

use palyra_api::skills::InstallOutcome;
use palyra_skills::capability_grants_from_manifest;
use palyra_skills::index::TrustState;
use palyra_skills::install::{self, InstallRequest, InstallStage, InstallStep};
use palyra_skills::verify::VerifyStepName;
use palyra_state::{Observe, SkillError, State, retry_moved};
use serde_json::json;

use crate::access::Principal;
use crate::app::App;
use crate::problem::ToProblem;
use crate::transport::http::answer::Failure;
use crate::transport::http::shape::shape;

/// Walks the corridor in somebody's name and tells every step, also those before a refusal.
pub(super) fn walk(
    app: &App,
    principal: &Principal,
    work: impl FnOnce(&State, Observe<'_>) -> Result<install::InstallOutcome, SkillError>,
) -> Result<InstallOutcome, Failure> {
    let mut steps: Vec<InstallStep> = Vec::new();
    let mut observe = |step: &InstallStep| {
        // A decision that came too late is taken anew, from its first step on.
        if step.stage == InstallStage::Verify(VerifyStepName::Size) {
            steps.clear();
        }
        steps.push(step.clone());
    };
    let state = app.state();
    match state.acting(&principal.name, || work(state, &mut observe)) {
        Ok(outcome) => Ok(InstallOutcome { steps: shape(&steps)?, ..told(&outcome)? }),
        Err(error) => Err(refused(&error, &steps)),
    }
}

/// Plans an installation, authorizes the planned release under the policy in force, and applies the plan.
///
/// The policy is part of the state: applying a plan fails if either has changed since the plan was made, and both steps
/// are repeated.
pub(super) fn install_authorized(
    app: &App,
    principal: &Principal,
    request: &InstallRequest,
    promotes: bool,
    observe: Observe<'_>,
) -> Result<install::InstallOutcome, SkillError> {
    let state = app.state();
    retry_moved(|| {
        let plan = state.plan(request, observe);
        if let Some(planned) = plan.installation() {
            app.policy().asking(state, principal).authorize_install(planned, promotes)?;
        }
        state.apply(plan, observe)
    })
}

/// The outcome with what a person needs to decide.
pub(in crate::transport::http) fn told(outcome: &install::InstallOutcome) -> Result<InstallOutcome, Failure> {
    let mut told: InstallOutcome = shape(outcome)?;
    told.consent_digest = outcome.consent_request.as_ref().map(|request| request.digest().to_string());
    // A publisher that is not allowlisted gets its secrets one by one; it is pinned only once somebody agreed.
    let release =
        outcome.record.release(outcome.payload).filter(|release| release.trust != TrustState::Trusted);
    if let Some(release) = release {
        let grants = capability_grants_from_manifest(&release.manifest);
        told.secrets = grants.secrets().iter().map(|grant| grant.secret.to_string()).collect();
    }
    Ok(told)
}

fn refused(error: &SkillError, steps: &[InstallStep]) -> Failure {
    let mut problem = error.to_problem();
    if let (Some(details), false) = (problem.details.as_object_mut(), steps.is_empty()) {
        details.insert("steps".to_owned(), json!(steps));
    }
    problem.into()
}
