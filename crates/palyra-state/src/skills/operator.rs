//! Operations of an operator on installed skills, aliases and audit settings.

use std::sync::atomic::Ordering;

use palyra_common::text::clip_untrusted;
use palyra_journal::EventKind;
use palyra_skills::audit::{AdvisoryList, AuditPolicy};
use palyra_skills::index::QuarantineCause;
use serde_json::json;

use super::installed::not_installed;
use super::{ReAudit, SkillError, SkillStore};
use crate::commit::Change;
use crate::db::{RowChange, SealedTable};
use crate::error::StateError;
use crate::plugins::rows_of_skill;
use crate::storage::StorageDatabase;
use crate::view::{advisories_row, described_key, policy_row, record_row};

impl SkillStore<'_> {
    /// Quarantines the current release until it is enabled.
    pub fn quarantine(&self, skill_id: &str, reason: &str, by: &str) -> Result<(), SkillError> {
        let payload = self.record(skill_id)?.current.payload;
        self.quarantine_release(skill_id, &payload, QuarantineCause::Operator, reason, by)
    }

    /// Disables a skill until it is enabled; its runs in progress are cancelled.
    pub fn disable(&self, skill_id: &str, reason: &str, by: &str) -> Result<(), SkillError> {
        let mut gate = self.state.gate();
        let mut record = gate.view.index().get(skill_id).ok_or_else(|| not_installed(skill_id))?.clone();
        record.disabled = Some(clip_untrusted(reason, 500));
        let event = self
            .state
            .event(EventKind::SkillDisabled, by)
            .skill(skill_id)
            .details(json!({ "reason": record.disabled }));
        let rows = vec![record_row(&record)?];
        self.state.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(())
    }

    /// Removes a skill with its consents, settings and aliases. Its owner and high-water mark are kept, so
    /// that no older release can be installed later.
    pub fn remove(&self, skill_id: &str, by: &str) -> Result<(), SkillError> {
        let mut gate = self.state.gate();
        let record = gate.view.index().get(skill_id).ok_or_else(|| not_installed(skill_id))?.clone();
        let payloads = record.releases().map(|release| release.payload);
        let payloads: Vec<_> = payloads.chain(record.previous.iter().map(|past| past.payload)).collect();
        let mut rows = vec![RowChange::Delete { table: SealedTable::Index, key: skill_id.to_owned() }];
        for payload in &payloads {
            rows.push(RowChange::Delete { table: SealedTable::Consent, key: payload.to_string() });
            rows.push(RowChange::Delete { table: SealedTable::Setting, key: described_key(payload) });
        }
        rows.extend(rows_of_skill(gate.view.rows(), skill_id));
        let tools: Vec<&str> =
            record.releases().flat_map(|release| release.tools()).map(|tool| tool.id.as_str()).collect();
        let aliases = gate.view.aliases().iter().filter(|(_, tool)| tools.contains(&tool.as_str()));
        rows.extend(
            aliases.map(|(alias, _)| RowChange::Delete { table: SealedTable::Alias, key: alias.clone() }),
        );
        let version = record.current.manifest.version.to_string();
        let details = json!({ "payload": record.current.payload.to_string(), "version": version });
        let event = self.state.event(EventKind::SkillRemoved, by).skill(skill_id).details(details);
        self.state.commit(&mut gate, Change { rows, events: vec![event] })?;
        // Objects are removed at the next opening instead if a backup is reading them, or if removing them fails here.
        if self.state.backing_up.load(Ordering::SeqCst) {
            return Ok(());
        }
        for object in record.objects().filter(|object| !gate.view.refers_to(object)) {
            let _ = self.state.objects.remove(&object);
        }
        Ok(())
    }

    /// Removes the key-value storage of a skill; returns the number of removed keys.
    pub fn forget_storage(&self, skill_id: &str) -> Result<usize, StateError> {
        let path = self.state.root().storage();
        // The database is created by the first write, and not by this.
        if !path.exists() {
            return Ok(0);
        }
        Ok(StorageDatabase::open(&path)?.forget(skill_id)?)
    }

    /// Sets an alias for a tool; `None` removes it.
    pub fn set_alias(&self, alias: &str, tool_id: Option<&str>, by: &str) -> Result<(), SkillError> {
        let mut gate = self.state.gate();
        let refuse =
            |reason: &str| SkillError::Alias { alias: clip_untrusted(alias, 80), reason: reason.to_owned() };
        let plain =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'.');
        if alias.is_empty() || alias.len() > 60 || !alias.bytes().all(plain) {
            return Err(refuse("it is not a name"));
        }
        let key = alias.to_owned();
        let row = match tool_id {
            Some(_) if gate.view.index().find_tool(alias).is_some() => {
                return Err(refuse("a tool has this id"));
            }
            Some(tool) if gate.view.index().find_tool(tool).is_none() => {
                return Err(refuse("unknown tool"));
            }
            Some(tool) => RowChange::Put { table: SealedTable::Alias, key, bytes: tool.as_bytes().to_vec() },
            None => RowChange::Delete { table: SealedTable::Alias, key },
        };
        let event = self
            .state
            .event(EventKind::PolicyChanged, by)
            .subject(alias)
            .details(json!({ "alias_of": tool_id }));
        self.state.commit(&mut gate, Change { rows: vec![row], events: vec![event] })?;
        Ok(())
    }

    /// Changes the audit policy and audits every installed release again.
    pub fn set_audit_policy(&self, policy: &AuditPolicy, by: &str) -> Result<Vec<ReAudit>, SkillError> {
        {
            let mut gate = self.state.gate();
            let details = json!({ "version": policy.version, "digest": policy.digest().to_string() });
            let event = self.state.event(EventKind::PolicyChanged, by).subject("audit").details(details);
            self.state.commit(&mut gate, Change { rows: vec![policy_row(policy)?], events: vec![event] })?;
        }
        self.re_audit(None, by)
    }

    /// Stores a list of known-vulnerable dependencies and audits every installed release again.
    pub fn keep_advisories(&self, list: &AdvisoryList, by: &str) -> Result<Vec<ReAudit>, SkillError> {
        {
            let mut gate = self.state.gate();
            let count = list.advisories.len();
            let details = json!({ "date": list.date, "digest": list.digest().to_string(), "count": count });
            let event = self.state.event(EventKind::PolicyChanged, by).subject("advisories").details(details);
            self.state
                .commit(&mut gate, Change { rows: vec![advisories_row(list)?], events: vec![event] })?;
        }
        self.re_audit(None, by)
    }
}
