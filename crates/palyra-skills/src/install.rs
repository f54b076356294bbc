//! The install pipeline: bytes become a plan to install a skill, or to record a refusal, through one pure function.
//!
//! Verification, audit, trust, update rules and consent each return a value; the plan carries everything that has to be
//! written, and the owner of the state writes it in one transaction. An installed release that is audited again,
//! enabled, consented to or rolled back to goes through the same steps with its stored bytes.

mod consent;
mod event;
mod outcome;
mod placement;
mod plan;
mod refusal;
mod request;
mod trust;

pub use event::{InstallEvent, InstallEventKind};
pub use outcome::{InstallOutcome, InstallStage, InstallStep, Placement};
pub use plan::{InstallDecision, InstallPlan};
pub use refusal::{InstallRefusal, InstallRefusalReason};
pub use request::{InstallContext, InstallEntry, InstallRequest, Purpose};

use crate::audit::{AuditReport, Verdict, audit_skill_artifact_security};
use crate::verify::{Verification, reverify_installed_artifact, verify_skill_artifact};
use outcome::Progress;

/// Decides what an installation changes, or why the artifact is refused, without writing anything.
///
/// `observe` is called with each step as it passes. The owner of the state applies the plan in one
/// transaction, and only if the generation of the state is still the one that the plan was made from.
pub fn plan_install(
    request: &InstallRequest,
    context: &InstallContext<'_>,
    observe: &mut dyn FnMut(&InstallStep),
) -> InstallPlan {
    let decision = match decide(request, context, observe) {
        Ok(outcome) if changes_nothing(&outcome, request, context) => {
            InstallDecision::Unchanged(Box::new(outcome))
        }
        Ok(outcome) => InstallDecision::Install(Box::new(outcome)),
        Err(refusal) => InstallDecision::Refuse(Box::new(refusal)),
    };
    InstallPlan { generation: context.generation, bytes: request.bytes.clone(), decision }
}

fn decide(
    request: &InstallRequest,
    context: &InstallContext<'_>,
    observe: &mut dyn FnMut(&InstallStep),
) -> Result<InstallOutcome, InstallRefusal> {
    let mut progress = Progress::new(observe);
    let verification = match verify(request, context) {
        Ok(verification) => verification,
        Err(refusal) => return trust::refused_by_verification(refusal, request, context, progress),
    };
    progress.verified(&verification);
    if trust::is_other_release(request, &verification) {
        return trust::other_release(request, context, &verification, progress);
    }
    let audit = audit(request, &verification, context, &mut progress);
    let admission = trust::decide_admission(request, context, &verification, &audit, &mut progress)?;
    let consent = consent::decide_consent(request, context, &verification, &admission, &mut progress)?;
    placement::place(request, context, verification, audit, admission, consent, progress)
}

fn verify(
    request: &InstallRequest,
    context: &InstallContext<'_>,
) -> Result<Verification, crate::verify::VerifyRefusal> {
    let snapshot = context.trust.clone().with_tofu(request.permits_tofu(context));
    match &request.entry {
        InstallEntry::Offered => verify_skill_artifact(request.bytes.clone(), &snapshot, context.platform),
        InstallEntry::Installed { .. } => {
            reverify_installed_artifact(request.bytes.clone(), &snapshot, context.platform)
        }
    }
}

fn audit(
    request: &InstallRequest,
    verification: &Verification,
    context: &InstallContext<'_>,
    progress: &mut Progress<'_>,
) -> AuditReport {
    let tools = context.index.installed_tools();
    let report = audit_skill_artifact_security(&verification.skill, context.policy, &tools);
    let verdict = match report.verdict {
        Verdict::Pass => "pass",
        Verdict::Quarantine => "quarantine",
        Verdict::Refuse => "refuse",
    };
    let found = match report.findings.len() {
        1 => format!("{verdict}, 1 finding under policy {}", report.policy_version),
        count => format!("{verdict}, {count} findings under policy {}", report.policy_version),
    };
    let blocks = trust::summarise(request, context, verification, &report).verdict != Verdict::Pass;
    progress.note(blocks, InstallStage::Audit, "modules, assets and text; nothing is run", found);
    report
}

/// Returns whether an audit of stored bytes changed nothing, in which case no event and no generation is written.
fn changes_nothing(outcome: &InstallOutcome, request: &InstallRequest, context: &InstallContext<'_>) -> bool {
    let kept = context.index.get(&outcome.record.skill_id);
    request.purpose() == Some(Purpose::ReAudit)
        // The mark of a release that is installed is remembered already.
        && outcome.trust_change.as_ref().is_none_or(|change| change.keys.is_none())
        && outcome.new_consent.is_none()
        && kept.is_some_and(|kept| *kept == outcome.record)
}
