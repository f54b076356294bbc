//! The owner's side of an installation: object first, then row, pin, consent and leaves in one commit.

use std::sync::MutexGuard;

use palyra_journal::{EventKind, NewEvent};
use palyra_skills::Sha256Digest;
use palyra_skills::consent::ConsentRecord;
use palyra_skills::index::SkillRecord;
use palyra_skills::install::{InstallEvent, InstallEventKind, InstallTransaction};
use palyra_skills::trust::{SkillTrustStore, TrustChange};
use serde_json::Value;

use crate::commit::Change;
use crate::db::RowChange;
use crate::error::StateError;
use crate::state::{Gate, State};
use crate::trust::trust_rows;
use crate::view::{consent_row, record_row};

/// One installation under way; dropped without its last call it leaves nothing but an unused object.
pub(crate) struct Installing<'a> {
    state: &'a State,
    gate: MutexGuard<'a, Gate>,
    trust: Option<SkillTrustStore>,
    rows: Vec<RowChange>,
    events: Vec<NewEvent>,
}

impl<'a> Installing<'a> {
    /// Waits for whoever commits now.
    pub(crate) fn begin(state: &'a State) -> Self {
        Self { state, gate: state.gate(), trust: None, rows: Vec::new(), events: Vec::new() }
    }
}

impl InstallTransaction for Installing<'_> {
    type Error = StateError;

    fn expect_generation(&mut self, generation: u64) -> Result<(), StateError> {
        match self.gate.view.generation() {
            found if found == generation => Ok(()),
            found => Err(StateError::Moved { planned: generation, found }),
        }
    }

    fn put_object(&mut self, archive: Sha256Digest, bytes: &[u8]) -> Result<(), StateError> {
        let stored = self.state.objects.put(bytes)?;
        match stored == archive {
            true => Ok(()),
            false => Err(StateError::Object(
                crate::objects::ObjectError::Changed { expected: archive, found: stored }.into(),
            )),
        }
    }

    fn apply_trust(&mut self, change: &TrustChange) -> Result<(), StateError> {
        let mut store = self.trust.take().unwrap_or_else(|| SkillTrustStore::clone(self.gate.view.trust()));
        store.apply(change).map_err(crate::error::TrustRefused::from)?;
        self.trust = Some(store);
        Ok(())
    }

    fn put_consent(&mut self, consent: &ConsentRecord) -> Result<(), StateError> {
        self.rows.push(consent_row(consent)?);
        Ok(())
    }

    fn put_record(&mut self, record: &SkillRecord) -> Result<(), StateError> {
        self.rows.push(record_row(record)?);
        Ok(())
    }

    fn append_event(&mut self, event: &InstallEvent) -> Result<(), StateError> {
        self.events.push(journal_event(self.state, event));
        Ok(())
    }

    fn advance_generation(&mut self) -> Result<(), StateError> {
        let mut rows = std::mem::take(&mut self.rows);
        if let Some(store) = self.trust.take() {
            rows.extend(trust_rows(&self.gate.view, &store)?);
        }
        let events = std::mem::take(&mut self.events);
        self.state.commit(&mut self.gate, Change { rows, events }).map(|_| ())
    }

    fn commit_events(&mut self) -> Result<(), StateError> {
        for event in std::mem::take(&mut self.events) {
            self.state.journal.append(event).wait()?;
        }
        Ok(())
    }
}

/// An event of the corridor as the journal writes it.
pub(crate) fn journal_event(state: &State, event: &InstallEvent) -> NewEvent {
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
    let mut new = state.event(kind);
    new.skill = event.skill_id.as_deref().map(short);
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

/// The name in a refused artifact is a stranger's: never longer than a field of the journal.
fn short(name: &str) -> String {
    palyra_common::redact::escape_untrusted(&name.chars().take(200).collect::<String>())
}
