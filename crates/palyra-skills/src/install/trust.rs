//! Determines the trust state of a release, and the reason why it cannot run, from the trust decision and the findings.

use palyra_common::ErrorCode;
use std::collections::BTreeSet;

use super::event::{InstallEvent, InstallEventKind};
use super::outcome::{InstallOutcome, InstallStage, Placement, Progress};
use super::refusal::{InstallRefusal, InstallRefusalReason};
use super::request::{InstallContext, InstallEntry, InstallRequest, Purpose};
use crate::audit::{AuditReport, FindingId, Verdict};
use crate::compat::eligibility;
use crate::grants::describe_permissions;
use crate::index::{AuditSummary, InstalledRelease, Quarantine, QuarantineCause, SkillRecord, TrustState};
use crate::trust::{TrustDecision, TrustRefusal};
use crate::verify::{RefusalReason, Verification, VerifyRefusal};

/// The trust state of a release before consent.
pub(super) struct Admission {
    /// The trust state if the release runs.
    pub(super) trust: TrustState,
    /// The reason why it cannot run, if any.
    pub(super) quarantine: Option<Quarantine>,
    /// Whether running it pins the keys of its publisher.
    pub(super) pins: bool,
    /// The audit result, with accepted findings.
    pub(super) audit: AuditSummary,
}

/// Decides the trust state of a release.
///
/// # Errors
/// For a file from outside: the audit verdict is to refuse, or a tool name collides with that of another skill.
pub(super) fn decide_admission(
    request: &InstallRequest,
    context: &InstallContext<'_>,
    verification: &Verification,
    audit: &AuditReport,
    progress: &mut Progress<'_>,
) -> Result<Admission, InstallRefusal> {
    let skill = &verification.skill;
    let record = context.index.get(&skill.manifest().skill_id);
    let stored = record.and_then(|record| record.release(skill.payload()));
    let summary = summarise(request, context, verification, audit);
    let offered = request.entry == InstallEntry::Offered;
    if summary.verdict == Verdict::Refuse && offered {
        return Err(InstallRefusal::new(verification, InstallRefusalReason::Audit(Box::new(audit.clone()))));
    }
    if offered && let Some((name, tool)) = context.index.model_name_taken(verification.skill.manifest()) {
        let reason = InstallRefusalReason::ModelName { tool: tool.id.clone(), name };
        return Err(InstallRefusal::new(verification, reason));
    }
    let trust = match &verification.trust {
        decision if decision.is_allowlisted() => TrustState::Trusted,
        TrustDecision::BuiltIn => TrustState::BuiltIn,
        TrustDecision::Unknown { .. } => TrustState::Quarantine,
        _ => TrustState::Tofu,
    };
    let quarantine = unknown(&verification.trust)
        .or_else(|| by_audit(&summary))
        .or_else(|| kept(request.purpose(), stored))
        .or_else(|| by_person(request, record, stored));
    let found = match &quarantine {
        Some(quarantine) if quarantine.cause == QuarantineCause::Operator => {
            format!("quarantined by a person: {}", quarantine.reason)
        }
        Some(quarantine) => quarantine.reason.clone(),
        None => "it can run".to_owned(),
    };
    progress.note(quarantine.is_some(), InstallStage::Trust, "publisher and findings together", found);
    let pins = matches!(verification.trust, TrustDecision::TofuOffer { .. });
    Ok(Admission { trust, quarantine, pins, audit: summary })
}

/// Summarizes an audit with the findings that operators accepted, now and when the release was stored.
pub(super) fn summarise(
    request: &InstallRequest,
    context: &InstallContext<'_>,
    verification: &Verification,
    audit: &AuditReport,
) -> AuditSummary {
    let skill = &verification.skill;
    let record = context.index.get(&skill.manifest().skill_id);
    let stored = record.and_then(|record| record.release(skill.payload()));
    let before = stored.map(|release| &release.audit.accepted).into_iter().flatten();
    // Acceptance of a finding that is absent or hard has no effect, so it is not stored.
    let acceptable: BTreeSet<FindingId> = audit.acceptable_findings().into_iter().collect();
    let asked = before.chain(&request.accept).copied();
    let accepted: BTreeSet<FindingId> = asked.filter(|finding| acceptable.contains(finding)).collect();
    let list: Vec<FindingId> = accepted.iter().copied().collect();
    let blocking = audit.findings.iter().filter(|finding| finding.quarantines());
    AuditSummary {
        verdict: audit.verdict_accepting(&list),
        risk: audit.risk,
        policy_digest: audit.policy_digest,
        findings: blocking.map(|finding| finding.id).collect(),
        accepted,
    }
}

fn unknown(decision: &TrustDecision) -> Option<Quarantine> {
    matches!(decision, TrustDecision::Unknown { .. }).then(|| {
        let reason = "its publisher is unknown; allow it with `palyra trust allow`, or install it again \
            with `--allow-tofu`";
        Quarantine::new(QuarantineCause::UnknownPublisher, reason)
    })
}

fn by_audit(audit: &AuditSummary) -> Option<Quarantine> {
    (audit.verdict != Verdict::Pass).then(|| {
        let open: Vec<&str> =
            audit.findings.difference(&audit.accepted).map(|finding| finding.as_str()).collect();
        Quarantine::new(QuarantineCause::Audit, &format!("the audit found {}", open.join(", ")))
    })
}

/// Returns a stored quarantine that remains, although no check of this request requires it.
///
/// `enable` lifts every quarantine. A file that is installed again was just verified and audited, so only a quarantine
/// by an operator or from `describe()` remains. A repeated check lifts only a quarantine for an unknown publisher.
fn kept(purpose: Option<Purpose>, stored: Option<&InstalledRelease>) -> Option<Quarantine> {
    let quarantine = stored?.quarantine.clone()?;
    let stays = match purpose {
        Some(Purpose::Enable) => false,
        None => matches!(quarantine.cause, QuarantineCause::Operator | QuarantineCause::Describe),
        Some(_) => quarantine.cause != QuarantineCause::UnknownPublisher,
    };
    stays.then_some(quarantine)
}

/// Returns an operator's quarantine of the current release, which a new release of the skill inherits.
fn by_person(
    request: &InstallRequest,
    record: Option<&SkillRecord>,
    stored: Option<&InstalledRelease>,
) -> Option<Quarantine> {
    let current = &record?.current;
    let quarantine = current.quarantine.as_ref()?;
    let person = quarantine.cause == QuarantineCause::Operator;
    (request.entry == InstallEntry::Offered && stored.is_none() && person).then(|| quarantine.clone())
}

/// Refuses an artifact from outside; quarantines an installed release, which remains stored.
pub(super) fn refused_by_verification(
    refusal: VerifyRefusal,
    request: &InstallRequest,
    context: &InstallContext<'_>,
    mut progress: Progress<'_>,
) -> Result<InstallOutcome, InstallRefusal> {
    for step in &refusal.passed {
        progress.pass(InstallStage::Verify(step.name), step.checked, step.found.clone());
    }
    let trust = match &refusal.reason {
        RefusalReason::Trust(TrustRefusal::Revoked { .. }) => TrustState::Revoked,
        _ => TrustState::Quarantine,
    };
    let quarantine = Quarantine::new(cause_of(&refusal), &refusal.to_string());
    let (code, proposed) = (refusal.code(), refusal.proposed.clone());
    match quarantined_in_place(request, context, (trust, quarantine, code), progress) {
        Some(outcome) => Ok(InstallOutcome { trust_change: proposed, ..outcome }),
        None => Err(InstallRefusal::by_verification(refusal)),
    }
}

/// Returns whether stored bytes belong to another release than their index entry.
pub(super) fn is_other_release(request: &InstallRequest, verification: &Verification) -> bool {
    let InstallEntry::Installed { skill_id, payload, .. } = &request.entry else { return false };
    let skill = &verification.skill;
    skill.manifest().skill_id != *skill_id || skill.payload() != *payload
}

/// Quarantines a release whose stored bytes belong to another release, like damaged bytes.
pub(super) fn other_release(
    request: &InstallRequest,
    context: &InstallContext<'_>,
    verification: &Verification,
    progress: Progress<'_>,
) -> Result<InstallOutcome, InstallRefusal> {
    let stored = request.stored(context).and_then(|(_, release)| release).map(|release| release.payload);
    let found = verification.skill.payload();
    let reason = InstallRefusalReason::OtherRelease { expected: stored.unwrap_or(found), found };
    let refusal = InstallRefusal::new(verification, reason);
    let quarantine = Quarantine::new(QuarantineCause::Damage, &refusal.to_string());
    let verdict = (TrustState::Quarantine, quarantine, refusal.code());
    quarantined_in_place(request, context, verdict, progress).ok_or(refusal)
}

/// Quarantines the stored release in its place. Returns `None` if the request refers to no stored release.
fn quarantined_in_place(
    request: &InstallRequest,
    context: &InstallContext<'_>,
    (trust, quarantine, code): (TrustState, Quarantine, ErrorCode),
    mut progress: Progress<'_>,
) -> Option<InstallOutcome> {
    let (record, release) = request.stored(context)?;
    let release = release?.clone();
    let reason = quarantine.reason.clone();
    let checked = "trust in the publisher";
    progress.note(true, InstallStage::Trust, checked, reason.clone());
    let release = InstalledRelease { trust, quarantine: Some(quarantine), ..release };
    let (record, placement) = in_place(record, release.clone());
    let event = InstallEvent {
        kind: InstallEventKind::Quarantined,
        skill_id: Some(record.skill_id.clone()),
        version: Some(release.manifest.version.clone()),
        payload: Some(release.payload),
        details: serde_json::json!({ "code": code, "reason": reason }),
    };
    Some(InstallOutcome {
        placement,
        status: release.status(),
        trust,
        decision: None,
        payload: release.payload,
        archive: release.archive,
        permissions: describe_permissions(&release.manifest),
        audit: None,
        diff: None,
        consent_request: None,
        withheld: Vec::new(),
        eligibility: eligibility(&release.manifest, context.platform),
        steps: progress.into_steps(),
        signers: release.signers,
        record,
        new_consent: None,
        trust_change: None,
        stores_bytes: false,
        events: vec![event],
    })
}

fn cause_of(refusal: &VerifyRefusal) -> QuarantineCause {
    match &refusal.reason {
        RefusalReason::Trust(_) | RefusalReason::Rollback(_) | RefusalReason::Compat(_) => {
            QuarantineCause::Trust
        }
        _ => QuarantineCause::Damage,
    }
}

/// Replaces one release of a record, and returns its placement.
pub(super) fn in_place(record: &SkillRecord, release: InstalledRelease) -> (SkillRecord, Placement) {
    let mut record = record.clone();
    if record.current.payload == release.payload {
        record.current = release;
        (record, Placement::Current)
    } else {
        record.waiting = Some(Box::new(release));
        (record, Placement::Waiting)
    }
}
