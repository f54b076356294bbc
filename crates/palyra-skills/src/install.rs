//! Corridor 2: bytes become an installed skill, or a refusal, through one function.
//!
//! Verification, audit, trust, update rules and consent each return a value; nothing is written until all of
//! them have spoken, and then everything is written in one transaction. An installed release that is audited
//! again, enabled, agreed to or gone back to walks the same way with its stored bytes.

mod consent;
mod event;
mod outcome;
mod placement;
mod refusal;
mod request;
mod transaction;
mod trust;

pub use event::{InstallEvent, InstallEventKind};
pub use outcome::{InstallOutcome, InstallStage, InstallStep, Placement};
pub use refusal::{InstallError, InstallRefusal, InstallRefusalReason};
pub use request::{InstallContext, InstallEntry, InstallRequest, Purpose};
pub use transaction::InstallTransaction;

use crate::audit::{AuditReport, Verdict, audit_skill_artifact_security};
use crate::verify::{Verification, reverify_installed_artifact, verify_skill_artifact};
use outcome::Progress;

/// Brings a skill in, or says why not.
///
/// Each step is handed to `observe` as it passes. A refusal leaves nothing behind but an event, and the block of
/// a publisher whose keys signed two successors.
pub fn install_skill_artifact<T: InstallTransaction>(
    request: &InstallRequest,
    context: &InstallContext<'_>,
    transaction: &mut T,
    observe: &mut dyn FnMut(&InstallStep),
) -> Result<InstallOutcome, InstallError<T::Error>> {
    match plan_install(request, context, observe) {
        Ok(outcome) if changes_nothing(&outcome, request, context) => Ok(outcome),
        Ok(outcome) => {
            store(&outcome, request, context, transaction).map_err(InstallError::Store)?;
            observe(&InstallStep::stored(&outcome));
            Ok(outcome)
        }
        Err(refusal) => {
            record_refusal(&refusal, context, transaction).map_err(InstallError::Store)?;
            Err(InstallError::Refused(Box::new(refusal)))
        }
    }
}

/// What an installation would do; nothing is written.
pub fn plan_install(
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
    let audit = audit(&verification, context, &mut progress);
    let standing = trust::decide_standing(request, context, &verification, &audit, &mut progress)?;
    let consent = consent::decide_consent(request, context, &verification, &standing, &mut progress)?;
    placement::place(request, context, verification, audit, standing, consent, progress)
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
    let found =
        format!("{verdict}, {} findings under policy {}", report.findings.len(), report.policy_version);
    progress.pass(InstallStage::Audit, "modules, assets and text, without running anything", found);
    report
}

/// A look at what is stored records what it changed; one that changed nothing leaves no event and no new generation.
fn changes_nothing(outcome: &InstallOutcome, request: &InstallRequest, context: &InstallContext<'_>) -> bool {
    let kept = context.index.get(&outcome.record.skill_id);
    request.purpose() == Some(Purpose::ReAudit)
        // The mark of a release that is installed is remembered already.
        && outcome.trust_change.as_ref().is_none_or(|change| change.keys.is_none())
        && outcome.new_consent.is_none()
        && kept.is_some_and(|kept| *kept == outcome.record)
}

/// Object, pin, row, consent and leaves, and then the generation that makes them count.
fn store<T: InstallTransaction>(
    outcome: &InstallOutcome,
    request: &InstallRequest,
    context: &InstallContext<'_>,
    transaction: &mut T,
) -> Result<(), T::Error> {
    transaction.permit(outcome)?;
    transaction.expect_generation(context.generation)?;
    if outcome.stores_bytes {
        transaction.put_object(outcome.archive, &request.bytes)?;
    }
    if let Some(change) = &outcome.trust_change {
        transaction.apply_trust(change)?;
    }
    if let Some(consent) = &outcome.new_consent {
        transaction.put_consent(consent)?;
    }
    transaction.put_record(&outcome.record)?;
    for event in &outcome.events {
        transaction.append_event(event)?;
    }
    transaction.advance_generation()
}

fn record_refusal<T: InstallTransaction>(
    refusal: &InstallRefusal,
    context: &InstallContext<'_>,
    transaction: &mut T,
) -> Result<(), T::Error> {
    transaction.expect_generation(context.generation)?;
    let blocks = refusal.trust_change();
    if let Some(change) = blocks {
        transaction.apply_trust(change)?;
    }
    transaction.append_event(&refusal.event())?;
    match blocks {
        Some(_) => transaction.advance_generation(),
        None => transaction.commit_events(),
    }
}
