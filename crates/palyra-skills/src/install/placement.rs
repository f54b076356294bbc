//! Builds the new record of the skill from the decisions: the active release, the pending one and the history.

use serde_json::json;

use super::consent::ConsentState;
use super::event::{InstallEvent, InstallEventKind};
use super::outcome::{InstallOutcome, Placement, Progress};
use super::refusal::{InstallRefusal, InstallRefusalReason};
use super::request::{InstallContext, InstallEntry, InstallRequest, Purpose};
use super::trust::{Admission, in_place};
use crate::audit::AuditReport;
use crate::compat::eligibility;
use crate::grants::describe_permissions;
use crate::index::{InstalledRelease, MAX_PREVIOUS, RuntimeStatus, SkillRecord, TrustState};
use crate::trust::{PublisherChange, TrustChange};
use crate::verify::Verification;

/// Puts the release into the skill's record and builds the journal event.
pub(super) fn place(
    request: &InstallRequest,
    context: &InstallContext<'_>,
    verification: Verification,
    audit: AuditReport,
    admission: Admission,
    consent: ConsentState,
    progress: Progress<'_>,
) -> Result<InstallOutcome, InstallRefusal> {
    let pinned = !admission.pins || (admission.quarantine.is_none() && consent.record.is_some());
    let release = release(request, context, &verification, &admission, &consent, pinned);
    let (record, placement) = record(request, context, &verification, &release)?;
    // The keys of a new publisher are pinned only together with an active release.
    let trust_change = verification.proposed.clone().filter(|_| pinned);
    let new_consent = consent.record.filter(|_| consent.is_new && release.consent.is_some());
    let mut events = trust_events(trust_change.as_ref(), &release);
    events.extend(new_consent.as_ref().map(|consent| {
        event(
            InstallEventKind::Consented,
            &release,
            json!({ "consent": consent.id(), "basis": consent.basis }),
        )
    }));
    events.push(main_event(request, &release, placement));
    Ok(InstallOutcome {
        placement,
        status: release.status(),
        trust: release.trust,
        decision: Some(verification.trust),
        payload: release.payload,
        archive: release.archive,
        signers: release.signers.clone(),
        permissions: describe_permissions(&release.manifest),
        audit: Some(audit),
        diff: consent.diff,
        consent_request: consent.request,
        withheld: consent.withheld,
        eligibility: eligibility(&release.manifest, context.platform),
        steps: progress.into_steps(),
        record,
        new_consent,
        trust_change,
        stores_bytes: true,
        events,
    })
}

fn release(
    request: &InstallRequest,
    context: &InstallContext<'_>,
    verification: &Verification,
    admission: &Admission,
    consent: &ConsentState,
    pinned: bool,
) -> InstalledRelease {
    let skill = &verification.skill;
    InstalledRelease {
        payload: skill.payload(),
        archive: skill.artifact().archive_digest(),
        signers: skill.signers().iter().map(|key| key.key_id().to_string()).collect(),
        trust: if pinned { admission.trust } else { TrustState::Quarantine },
        quarantine: admission.quarantine.clone(),
        // Without a pin there is no trusted publisher that a consent could apply to.
        consent: consent.record.as_ref().filter(|_| pinned).map(crate::consent::ConsentRecord::id),
        tofu_permitted: admission.pins && request.permits_tofu(context) && !pinned,
        audit: admission.audit.clone(),
        manifest: skill.manifest().clone(),
    }
}

fn record(
    request: &InstallRequest,
    context: &InstallContext<'_>,
    verification: &Verification,
    release: &InstalledRelease,
) -> Result<(SkillRecord, Placement), InstallRefusal> {
    let existing = context.index.get(&release.manifest.skill_id);
    match (&request.entry, existing) {
        (InstallEntry::Offered, None) => Ok((first(release), Placement::Current)),
        (InstallEntry::Offered, Some(record)) => Ok(offered(record, release)),
        (InstallEntry::Installed { purpose: Purpose::Rollback, .. }, Some(record)) => {
            rolled_back(record, release).map_err(|reason| InstallRefusal::new(verification, reason))
        }
        (InstallEntry::Installed { purpose, .. }, Some(record))
            if record.release(release.payload).is_some() =>
        {
            let mut record = record.clone();
            if *purpose == Purpose::Enable {
                record.disabled = None;
            }
            let waits = record.current.payload != release.payload;
            Ok(if waits && release.is_runnable() {
                promoted(&record, release)
            } else {
                in_place(&record, release.clone())
            })
        }
        (InstallEntry::Installed { skill_id, payload, .. }, _) => {
            let reason = InstallRefusalReason::NotInstalled { skill_id: skill_id.clone(), payload: *payload };
            Err(InstallRefusal::new(verification, reason))
        }
    }
}

fn first(release: &InstalledRelease) -> SkillRecord {
    SkillRecord {
        skill_id: release.manifest.skill_id.clone(),
        publisher: release.manifest.publisher.clone(),
        current: release.clone(),
        waiting: None,
        previous: Vec::new(),
        disabled: None,
    }
}

/// Activates an update if it can run or if the current release cannot run either; otherwise keeps it as pending.
fn offered(record: &SkillRecord, release: &InstalledRelease) -> (SkillRecord, Placement) {
    if record.current.payload == release.payload {
        return in_place(record, release.clone());
    }
    if release.is_runnable() || !record.current.is_runnable() {
        return promoted(record, release);
    }
    in_place(record, release.clone())
}

fn promoted(record: &SkillRecord, release: &InstalledRelease) -> (SkillRecord, Placement) {
    let mut record = record.clone();
    // Only a release with consent can be rolled back to.
    if record.current.consent.is_some() {
        record.previous.insert(0, record.current.as_past());
    }
    record.previous.retain(|past| past.payload != release.payload);
    record.previous.truncate(MAX_PREVIOUS);
    record.current = release.clone();
    record.waiting = None;
    (record, Placement::Current)
}

fn rolled_back(
    record: &SkillRecord,
    release: &InstalledRelease,
) -> Result<(SkillRecord, Placement), InstallRefusalReason> {
    if !record.previous.iter().any(|past| past.payload == release.payload) {
        let skill_id = record.skill_id.clone();
        return Err(InstallRefusalReason::NotInstalled { skill_id, payload: release.payload });
    }
    if !release.is_runnable() {
        let why = match &release.quarantine {
            Some(quarantine) => quarantine.reason.clone(),
            None => "its consent was withdrawn".to_owned(),
        };
        return Err(InstallRefusalReason::RollbackBlocked { why });
    }
    let waiting = record.waiting.clone();
    let (mut record, placement) = promoted(record, release);
    record.waiting = waiting;
    Ok((record, placement))
}

fn trust_events(change: Option<&TrustChange>, release: &InstalledRelease) -> Vec<InstallEvent> {
    let kind = match change.and_then(|change| change.keys.as_ref()) {
        Some(PublisherChange::Pin { .. }) => InstallEventKind::PublisherPinned,
        Some(PublisherChange::Rotate(_)) => InstallEventKind::PublisherRotated,
        Some(PublisherChange::LearnEpoch { .. } | PublisherChange::Block { .. }) | None => return Vec::new(),
    };
    vec![event(kind, release, json!({ "publisher": release.manifest.publisher, "keys": release.signers }))]
}

fn main_event(request: &InstallRequest, release: &InstalledRelease, placement: Placement) -> InstallEvent {
    let kind = match (release.status(), request.purpose()) {
        (RuntimeStatus::Quarantined, _) => InstallEventKind::Quarantined,
        (RuntimeStatus::AwaitingConsent, _) => InstallEventKind::AwaitingConsent,
        (_, Some(Purpose::ReAudit)) => InstallEventKind::Audited,
        (_, Some(Purpose::Enable)) => InstallEventKind::Enabled,
        (_, Some(Purpose::Rollback)) => InstallEventKind::RolledBack,
        (_, Some(Purpose::Consent) | None) => InstallEventKind::Installed,
    };
    let details = json!({
        "placement": placement,
        "trust": release.trust,
        "status": release.status(),
        "archive": release.archive,
        "signers": release.signers,
        "reason": release.quarantine.as_ref().map(|quarantine| &quarantine.reason),
        "verdict": release.audit.verdict,
        "accepted": release.audit.accepted,
        "consent": release.consent,
    });
    event(kind, release, details)
}

fn event(kind: InstallEventKind, release: &InstalledRelease, details: serde_json::Value) -> InstallEvent {
    InstallEvent {
        kind,
        skill_id: Some(release.manifest.skill_id.clone()),
        version: Some(release.manifest.version.clone()),
        payload: Some(release.payload),
        details,
    }
}
