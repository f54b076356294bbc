//! Runs an installation for a principal, and reports each step in the response.

use palyra_api::skills::InstallOutcome;
use palyra_common::Principal;
use palyra_skills::install::{self, InstallRequest, InstallStage, InstallStep};
use palyra_skills::verify::VerifyStepName;
use palyra_state::{Observe, SkillError, State, retry_moved};
use serde_json::json;

use crate::app::App;
use crate::problem::ToProblem;
use crate::to_api::ToApi;
use crate::transport::http::answer::Failure;

/// Runs the install pipeline and returns all steps, including those before a refusal.
pub(super) fn walk(
    app: &App,
    work: impl FnOnce(&State, Observe<'_>) -> Result<install::InstallOutcome, SkillError>,
) -> Result<InstallOutcome, Failure> {
    let mut steps: Vec<InstallStep> = Vec::new();
    let mut observe = |step: &InstallStep| {
        // An outdated plan is made again, starting with its first step.
        if step.stage == InstallStage::Verify(VerifyStepName::Size) {
            steps.clear();
        }
        steps.push(step.clone());
    };
    let state = app.state();
    match work(state, &mut observe) {
        Ok(outcome) => Ok(InstallOutcome { steps: steps.to_api(), ..outcome.to_api() }),
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
        let plan = state.skills().plan(request, observe);
        if let Some(planned) = plan.installation() {
            state.authorizer().authorize_install(principal, planned, promotes)?;
        }
        state.skills().apply(plan, &principal.name, observe)
    })
}

fn refused(error: &SkillError, steps: &[InstallStep]) -> Failure {
    let mut problem = error.to_problem();
    if let (Some(details), false) = (problem.details.as_object_mut(), steps.is_empty()) {
        details.insert("steps".to_owned(), json!(steps));
    }
    problem.into()
}
