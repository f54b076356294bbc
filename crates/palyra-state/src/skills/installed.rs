//! Checks stored releases again: re-audit, enable, consent, rollback, verify.

use std::collections::BTreeSet;
use std::sync::Arc;

use palyra_common::principal::OWNER;
use palyra_common::text::clip_untrusted;
use palyra_journal::EventKind;
use palyra_skills::audit::FindingId;
use palyra_skills::consent::ConsentGiven;
use palyra_skills::index::{InstalledRelease, PastRelease, Quarantine, QuarantineCause, SkillRecord};
use palyra_skills::install::{InstallOutcome, InstallRequest, Purpose};
use palyra_skills::{Sha256Digest, Verification, reverify_installed_artifact};
use serde_json::json;

use super::{Observe, SkillError, SkillStore};
use crate::commit::Change;
use crate::error::StateError;
use crate::objects::ObjectError;
use crate::view::{described_row, record_row};

/// Result of checking one stored release again.
#[derive(Debug)]
pub struct ReAudit {
    /// Id of the skill.
    pub skill_id: String,
    /// Version of the release.
    pub version: String,
    /// SHA-256 of the release.
    pub payload: Sha256Digest,
    /// The outcome; `None` for an intact release that is kept for rollback. An error means that the release
    /// could not be checked, or that its bytes are damaged.
    pub result: Result<Option<InstallOutcome>, SkillError>,
}

impl SkillStore<'_> {
    /// Ends the quarantine of a release or enables a disabled skill, accepting soft findings by name.
    pub fn enable(
        &self,
        skill_id: &str,
        accept: BTreeSet<FindingId>,
        by: &str,
        observe: Observe<'_>,
    ) -> Result<InstallOutcome, SkillError> {
        let release = self.release_to_decide(skill_id)?;
        let request = self.stored_request(skill_id, &release, Purpose::Enable, by)?;
        self.install_skill_artifact(&InstallRequest { accept, ..request }, by, observe)
    }

    /// Returns the outcome of auditing the release that needs a decision; changes nothing.
    pub fn plan_decision(&self, skill_id: &str, by: &str) -> Result<InstallOutcome, SkillError> {
        let release = self.release_to_decide(skill_id)?;
        let request = self.stored_request(skill_id, &release, Purpose::ReAudit, by)?;
        Ok(self.plan(&request, &mut |_| {}).into_preview()?)
    }

    /// Records the consent to the pending release, or to the current one if none is pending.
    pub fn consent(
        &self,
        skill_id: &str,
        given: ConsentGiven,
        by: &str,
        observe: Observe<'_>,
    ) -> Result<InstallOutcome, SkillError> {
        let release = self.release_to_decide(skill_id)?;
        let request = self.stored_request(skill_id, &release, Purpose::Consent, by)?;
        self.install_skill_artifact(&InstallRequest { consent: Some(given), ..request }, by, observe)
    }

    /// Returns the request to roll back to an earlier release: the newest one, or the one with this version.
    pub fn rollback_request(
        &self,
        skill_id: &str,
        version: Option<&str>,
    ) -> Result<InstallRequest, SkillError> {
        let record = self.record(skill_id)?;
        let wanted = |past: &&palyra_skills::index::PastRelease| match version {
            Some(version) => past.version.to_string() == version,
            None => true,
        };
        let past = record.previous.iter().find(wanted).ok_or_else(|| SkillError::NoEarlierRelease {
            skill_id: skill_id.to_owned(),
            version: version.map(str::to_owned),
        })?;
        let bytes = self.state.objects.get(&past.archive).map_err(|error| damaged(skill_id, &error))?;
        Ok(InstallRequest::installed(bytes, skill_id, past.payload, Purpose::Rollback))
    }

    /// Audits every stored release of one skill, or of all; never ends a quarantine.
    ///
    /// Of a release that is kept for rollback only the bytes are checked; a rollback checks everything else.
    /// Findings are recorded if they change something, and always returned.
    pub fn re_audit(&self, skill_id: Option<&str>, by: &str) -> Result<Vec<ReAudit>, SkillError> {
        let view = self.state.view();
        let records: Vec<&SkillRecord> = match skill_id {
            Some(id) => vec![view.index().get(id).ok_or_else(|| not_installed(id))?],
            None => view.index().iter().collect(),
        };
        let mut audits = Vec::new();
        for record in records {
            let skill_id = &record.skill_id;
            audits.extend(record.releases().map(|release| {
                ReAudit {
                    skill_id: skill_id.clone(),
                    version: release.manifest.version.to_string(),
                    payload: release.payload,
                    result: self
                        .state
                        .skills()
                        .stored_request(skill_id, release, Purpose::ReAudit, by)
                        .and_then(|request| self.install_skill_artifact(&request, by, &mut |_| {}))
                        .map(Some),
                }
            }));
            audits.extend(record.previous.iter().map(|past| ReAudit {
                skill_id: skill_id.clone(),
                version: past.version.to_string(),
                payload: past.payload,
                result: self.check_past(skill_id, past, by).map(|()| None),
            }));
        }
        Ok(audits)
    }

    /// Verifies the bytes of a release that is kept for rollback, and records when they were damaged or restored.
    fn check_past(&self, skill_id: &str, past: &PastRelease, by: &str) -> Result<(), SkillError> {
        let damage = match self.state.objects.get(&past.archive) {
            Ok(_) => None,
            Err(error) if error.is_tampering() => Some(error.to_string()),
            Err(error) => return Err(SkillError::State(error.into())),
        };
        self.mark_past(skill_id, past, damage.as_deref(), by)?;
        damage.map_or(Ok(()), |reason| Err(SkillError::Damaged { skill_id: skill_id.to_owned(), reason }))
    }

    fn mark_past(
        &self,
        skill_id: &str,
        past: &PastRelease,
        damage: Option<&str>,
        by: &str,
    ) -> Result<(), SkillError> {
        let mut gate = self.state.gate();
        let mut record = gate.view.index().get(skill_id).ok_or_else(|| not_installed(skill_id))?.clone();
        // A release that was removed or activated in between is no longer kept for rollback.
        let kept = record.previous.iter_mut().find(|kept| kept.payload == past.payload);
        let Some(kept) = kept.filter(|kept| kept.damage.as_deref() != damage) else { return Ok(()) };
        kept.damage = damage.map(str::to_owned);
        let details = json!({ "payload": past.payload.to_string(), "version": past.version.to_string(),
            "kept_for": "rollback", "cause": damage.map(|_| QuarantineCause::Damage), "reason": damage });
        let kind = if damage.is_some() { EventKind::SkillQuarantined } else { EventKind::SkillAudited };
        let events = vec![self.state.event(kind, by).skill(skill_id).details(details)];
        let rows = vec![record_row(&record)?];
        self.state.commit(&mut gate, Change { rows, events })?;
        Ok(())
    }

    /// Reads, hashes and verifies the current release of a skill; quarantines it if its bytes are not its own.
    pub fn verify_installed(&self, skill_id: &str, by: &str) -> Result<Verification, SkillError> {
        let view = self.state.view();
        let release = view.index().get(skill_id).ok_or_else(|| not_installed(skill_id))?.current.clone();
        let bytes = self.release_bytes(skill_id, &release, by)?;
        let verified = reverify_installed_artifact(
            bytes,
            &self.state.trust().snapshot(Arc::clone(view.trust())),
            &self.state.platform,
        );
        match verified {
            Ok(verification) if verification.skill.payload() == release.payload => Ok(verification),
            Ok(verification) => {
                let reason = format!("they are release `{}`", verification.skill.payload());
                Err(self.quarantine_damaged(skill_id, &release, &reason, by))
            }
            Err(_) => {
                // The install pipeline decides the consequence of a rejection for an installed release.
                let request = self.stored_request(skill_id, &release, Purpose::ReAudit, by)?;
                let outcome = self.install_skill_artifact(&request, by, &mut |_| {})?;
                let quarantine =
                    outcome.record.release(release.payload).and_then(|release| release.quarantine.clone());
                let reason = quarantine.map_or_else(|| "it is no longer trusted".into(), |kept| kept.reason);
                Err(SkillError::Damaged { skill_id: skill_id.to_owned(), reason })
            }
        }
    }

    /// Records that the component with this payload describes itself as its manifest does.
    pub fn mark_described(&self, skill_id: &str, payload: &Sha256Digest) -> Result<(), StateError> {
        let mut gate = self.state.gate();
        if gate.view.is_described(payload) {
            return Ok(());
        }
        let details = json!({ "payload": payload.to_string(), "describe": "as the manifest says" });
        let event = self.state.event(EventKind::SkillVerified, OWNER).skill(skill_id).details(details);
        self.state.commit(&mut gate, Change { rows: vec![described_row(payload)], events: vec![event] })?;
        Ok(())
    }

    /// Reads the package of a release and verifies its digest; quarantines the release if the bytes are damaged.
    pub fn release_bytes(
        &self,
        skill_id: &str,
        release: &InstalledRelease,
        by: &str,
    ) -> Result<Arc<[u8]>, SkillError> {
        match self.state.objects.get(&release.archive) {
            Ok(bytes) => Ok(bytes),
            Err(error) if error.is_tampering() => {
                Err(self.quarantine_damaged(skill_id, release, &error.to_string(), by))
            }
            Err(error) => Err(SkillError::State(error.into())),
        }
    }

    /// Quarantines a release for a cause that a run or a read found.
    pub fn quarantine_release(
        &self,
        skill_id: &str,
        payload: &Sha256Digest,
        cause: QuarantineCause,
        reason: &str,
        by: &str,
    ) -> Result<(), SkillError> {
        let mut gate = self.state.gate();
        let record = gate.view.index().get(skill_id).ok_or_else(|| not_installed(skill_id))?;
        let mut record = record.clone();
        let quarantine = |release: &mut InstalledRelease| {
            if release.payload == *payload {
                release.quarantine = Some(Quarantine::new(cause, reason));
            }
        };
        quarantine(&mut record.current);
        record.waiting.as_deref_mut().map(quarantine);
        // A known finding is not a change, so that repeated checks do not add leaves.
        if gate.view.index().get(skill_id).is_some_and(|kept| *kept == record) {
            return Ok(());
        }
        let details = json!({ "payload": payload.to_string(), "cause": cause, "reason": reason });
        let event = self.state.event(EventKind::SkillQuarantined, by).skill(skill_id).details(details);
        let rows = vec![record_row(&record)?];
        self.state.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(())
    }

    fn quarantine_damaged(
        &self,
        skill_id: &str,
        release: &InstalledRelease,
        reason: &str,
        by: &str,
    ) -> SkillError {
        match self.quarantine_release(skill_id, &release.payload, QuarantineCause::Damage, reason, by) {
            Ok(()) => SkillError::Damaged { skill_id: skill_id.to_owned(), reason: reason.to_owned() },
            Err(error) => error,
        }
    }

    fn stored_request(
        &self,
        skill_id: &str,
        release: &InstalledRelease,
        purpose: Purpose,
        by: &str,
    ) -> Result<InstallRequest, SkillError> {
        let bytes = self.release_bytes(skill_id, release, by)?;
        Ok(InstallRequest::installed(bytes, skill_id, release.payload, purpose))
    }

    /// Returns the release that needs a decision: the pending one, or else the current one.
    fn release_to_decide(&self, skill_id: &str) -> Result<InstalledRelease, SkillError> {
        let record = self.record(skill_id)?;
        Ok(record.waiting.map_or(record.current, |waiting| *waiting))
    }

    /// Returns the record of an installed skill.
    pub fn record(&self, skill_id: &str) -> Result<SkillRecord, SkillError> {
        self.state.view().index().get(skill_id).cloned().ok_or_else(|| not_installed(skill_id))
    }
}

pub(crate) fn not_installed(skill_id: &str) -> SkillError {
    let skill_id = clip_untrusted(skill_id, 200);
    SkillError::NotInstalled { skill_id }
}

fn damaged(skill_id: &str, error: &ObjectError) -> SkillError {
    SkillError::Damaged { skill_id: skill_id.to_owned(), reason: error.to_string() }
}
