//! Consequences of a change of trust: revoked or blocked releases are quarantined in the same commit.

use std::sync::Arc;

use palyra_journal::NewEvent;
use palyra_skills::index::{InstalledRelease, Quarantine, QuarantineCause, SkillRecord, TrustState};
use palyra_skills::install::{InstallContext, InstallRequest, Purpose, plan_install};
use palyra_skills::trust::{RevocationTarget, SkillTrustStore};

use super::SkillStore;
use super::apply::journal_event;
use crate::db::RowChange;
use crate::error::StateError;
use crate::state::State;
use crate::view::{View, record_row};

impl SkillStore<'_> {
    /// Adds the rows and events that quarantine every installed release that is no longer trusted.
    pub(crate) fn quarantine_untrusted(
        &self,
        view: &View,
        store: &SkillTrustStore,
        rows: &mut Vec<RowChange>,
        events: &mut Vec<NewEvent>,
        by: &str,
    ) -> Result<(), StateError> {
        let store = Arc::new(store.clone());
        for record in view.index().iter() {
            let mut changed = record.clone();
            for release in record.releases().filter(|release| is_touched(&store, record, release)) {
                let (quarantined, event) = self.judge_again(view, &store, &changed, release, by);
                changed = quarantined;
                events.push(event);
            }
            if changed != *record {
                rows.push(record_row(&changed)?);
            }
        }
        Ok(())
    }

    /// Audits a release against the new trust; one whose bytes cannot be read is quarantined anyway.
    fn judge_again(
        &self,
        view: &View,
        store: &Arc<SkillTrustStore>,
        record: &SkillRecord,
        release: &InstalledRelease,
        by: &str,
    ) -> (SkillRecord, NewEvent) {
        let snapshot = self.state.trust().snapshot(Arc::clone(store));
        let index = std::iter::once(record.clone()).collect();
        let context = InstallContext {
            generation: view.generation(),
            trust: &snapshot,
            platform: &self.state.platform,
            policy: view.audit_policy(),
            index: &index,
            consents: view.consents(),
        };
        if let Ok(bytes) = self.state.objects.get(&release.archive) {
            let request =
                InstallRequest::installed(bytes, &record.skill_id, release.payload, Purpose::ReAudit);
            if let Ok(outcome) = plan_install(&request, &context, &mut |_| {}).into_preview()
                && outcome.record != *record
                && let Some(event) = outcome.events.last()
            {
                return (outcome.record.clone(), journal_event(self.state, event, by));
            }
        }
        quarantine_unread(self.state, record, release, by)
    }
}

/// Returns whether a release is revoked by payload or key, or its publisher blocked, and this is not recorded yet.
fn is_touched(store: &SkillTrustStore, record: &SkillRecord, release: &InstalledRelease) -> bool {
    let publisher = record.publisher.as_str();
    let blocked = store.publisher(publisher).is_some_and(|trust| trust.blocked.is_some());
    let revoked = |target| store.revoked(target, publisher).is_some();
    let by_key = release.signers.iter().filter_map(|signer| signer.parse().ok());
    let gone = blocked
        || revoked(RevocationTarget::Payload(release.payload))
        || by_key.map(RevocationTarget::Key).any(revoked);
    gone && (release.quarantine.is_none() || release.trust != TrustState::Revoked)
}

/// Quarantines a release whose bytes could not be read again.
fn quarantine_unread(
    state: &State,
    record: &SkillRecord,
    release: &InstalledRelease,
    by: &str,
) -> (SkillRecord, NewEvent) {
    let reason = "its payload, its keys or its publisher are no longer trusted";
    let mut record = record.clone();
    let quarantine = |kept: &mut InstalledRelease| {
        if kept.payload == release.payload {
            kept.trust = TrustState::Quarantine;
            kept.quarantine = Some(Quarantine::new(QuarantineCause::Trust, reason));
        }
    };
    quarantine(&mut record.current);
    record.waiting.as_deref_mut().map(quarantine);
    let details = serde_json::json!({ "payload": release.payload.to_string(), "reason": reason });
    let event = state.event(palyra_journal::EventKind::SkillQuarantined, by);
    let event = event.skill(&record.skill_id).details(details);
    (record, event)
}
