//! Applies an install plan: object first, then record, trust, consent and leaves in one commit.

use palyra_common::text::clip_untrusted;
use palyra_journal::{EventKind, NewEvent};
use palyra_skills::install::{
    InstallDecision, InstallEvent, InstallEventKind, InstallOutcome, InstallPlan, InstallRefusal, InstallStep,
};
use palyra_skills::trust::{SkillTrustStore, TrustChange};
use serde_json::Value;

use super::{Observe, SkillError, SkillStore};
use crate::commit::Change;
use crate::db::RowChange;
use crate::error::{StateError, TrustRefused};
use crate::objects::ObjectError;
use crate::state::State;
use crate::trust::trust_rows;
use crate::view::{View, consent_row, record_row};

impl SkillStore<'_> {
    /// Applies a plan in one commit, if the state still has the generation the plan was made from.
    ///
    /// A refusal is recorded and returned as an error. A changed state is an error too, and nothing is
    /// written: the caller plans again. A failed commit leaves at most an unused object.
    pub fn apply(
        &self,
        plan: InstallPlan,
        by: &str,
        observe: Observe<'_>,
    ) -> Result<InstallOutcome, SkillError> {
        let InstallPlan { generation, bytes, decision, .. } = plan;
        match decision {
            InstallDecision::Unchanged(outcome) => Ok(*outcome),
            InstallDecision::Install(outcome) => {
                self.store(generation, &bytes, &outcome, by)?;
                observe(&InstallStep::stored(&outcome));
                Ok(*outcome)
            }
            InstallDecision::Refuse(refusal) => {
                self.record_refusal(generation, &refusal, by)?;
                Err(SkillError::Refused(refusal))
            }
        }
    }

    fn store(
        &self,
        generation: u64,
        bytes: &[u8],
        outcome: &InstallOutcome,
        by: &str,
    ) -> Result<(), StateError> {
        let mut gate = self.state.gate();
        expect_generation(&gate.view, generation)?;
        if outcome.stores_bytes {
            let (expected, found) = (outcome.archive, self.state.objects.put(bytes)?);
            if found != expected {
                return Err(StateError::Object(ObjectError::Changed { expected, found }.into()));
            }
        }
        let mut rows = Vec::new();
        if let Some(consent) = &outcome.new_consent {
            rows.push(consent_row(consent)?);
        }
        rows.push(record_row(&outcome.record)?);
        if let Some(change) = &outcome.trust_change {
            rows.extend(changed_trust(&gate.view, change)?);
        }
        let events = outcome.events.iter().map(|event| journal_event(self.state, event, by)).collect();
        self.state.commit(&mut gate, Change { rows, events })?;
        Ok(())
    }

    /// Records a refusal. One that changes trust also increments the generation.
    fn record_refusal(&self, generation: u64, refusal: &InstallRefusal, by: &str) -> Result<(), StateError> {
        let mut gate = self.state.gate();
        expect_generation(&gate.view, generation)?;
        let event = journal_event(self.state, &refusal.event(), by);
        match refusal.trust_change() {
            Some(change) => {
                let rows = changed_trust(&gate.view, change)?;
                self.state.commit(&mut gate, Change { rows, events: vec![event] })?;
            }
            None => {
                self.state.journal.append(event).wait()?;
            }
        }
        Ok(())
    }
}

fn expect_generation(view: &View, planned: u64) -> Result<(), StateError> {
    match view.generation() {
        found if found == planned => Ok(()),
        found => Err(StateError::Moved { planned, found }),
    }
}

/// Returns the changes of trust rows.
fn changed_trust(view: &View, change: &TrustChange) -> Result<Vec<RowChange>, StateError> {
    let mut store = SkillTrustStore::clone(view.trust());
    store.apply(change).map_err(TrustRefused::from)?;
    trust_rows(view, &store)
}

/// Converts an event of the install pipeline to a leaf.
pub(crate) fn journal_event(state: &State, event: &InstallEvent, by: &str) -> NewEvent {
    let kind = match event.kind {
        InstallEventKind::Installed => EventKind::SkillInstalled,
        InstallEventKind::Quarantined => EventKind::SkillQuarantined,
        InstallEventKind::AwaitingConsent => EventKind::SkillAwaitingConsent,
        InstallEventKind::Consented => EventKind::SkillConsented,
        InstallEventKind::Enabled => EventKind::SkillEnabled,
        InstallEventKind::Audited => EventKind::SkillAudited,
        InstallEventKind::RolledBack => EventKind::SkillRolledBack,
        InstallEventKind::Refused => EventKind::SkillRefused,
        InstallEventKind::PublisherPinned => EventKind::TrustPinned,
        InstallEventKind::PublisherRotated => EventKind::TrustRotated,
    };
    let mut new = state.event(kind, by);
    new.skill = event.skill_id.as_deref().map(|name| clip_untrusted(name, 200));
    let mut details = match &event.details {
        Value::Object(details) => details.clone(),
        other => serde_json::Map::from_iter([("note".to_owned(), other.clone())]),
    };
    if let Some(version) = &event.version {
        details.insert("version".into(), version.to_string().into());
    }
    if let Some(payload) = &event.payload {
        details.insert("payload".into(), payload.to_string().into());
    }
    new.details(Value::Object(details))
}
