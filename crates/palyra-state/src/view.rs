//! All decisions of the operator, parsed from the sealed rows and cached until the next commit.

mod change;
mod leaves;
mod published;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use palyra_skills::Sha256Digest;
use palyra_skills::audit::{AdvisoryList, AuditPolicy};
use palyra_skills::consent::{ConsentIndex, ConsentRecord};
use palyra_skills::index::{
    InstalledRelease, InstalledSkillsIndex, Quarantine, QuarantineCause, SkillRecord,
};
use palyra_skills::manifest::model_name;
use palyra_skills::trust::{SkillTrustStore, TrustRow};

use crate::damage::Damage;
use crate::db::{RowChange, SealedRows, SealedTable};
use crate::error::StateError;
use crate::hooks::HookIndex;
use crate::plugins::PluginSettings;
use crate::tokens::{TokenIndex, TokenRecord};
pub(crate) use published::PublishedView;

const AUDIT_POLICY: &str = "audit_policy";
const ADVISORIES: &str = "advisories";
/// Prefix of rows that record a payload whose description was checked.
const DESCRIBED: &str = "described/";
const UNREADABLE: &str = "a repair drops it; its decision has to be made again";

/// The parsed state as of one commit.
#[derive(Debug, Clone)]
pub struct View {
    generation: u64,
    rows: SealedRows,
    trust: Arc<SkillTrustStore>,
    index: InstalledSkillsIndex,
    consents: ConsentIndex,
    aliases: BTreeMap<String, String>,
    policy: AuditPolicy,
    plugins: Arc<PluginSettings>,
    pub(crate) tokens: TokenIndex,
    tools: Arc<ToolNames>,
}

/// The skill of each tool, by tool id and by the tool's name for models.
type ToolNames = HashMap<String, Arc<SkillRecord>>;

impl View {
    /// Parses sealed rows; a row that cannot be parsed is damage, even with a valid MAC.
    pub(crate) fn read(generation: u64, rows: SealedRows) -> Result<Self, Damage> {
        let (view, damage) = Self::read_what_can_be_read(generation, rows);
        if damage.is_none() { Ok(view) } else { Err(damage) }
    }

    /// Parses the rows, skipping and reporting those that cannot be parsed.
    pub(crate) fn read_what_can_be_read(generation: u64, mut rows: SealedRows) -> (Self, Damage) {
        let mut damage = Damage::default();
        let trust = read_trust(&rows).unwrap_or_else(|error| {
            trust_damage(&mut damage, &error);
            rows = rows.without(SealedTable::Trust);
            SkillTrustStore::default()
        });
        let records: Vec<SkillRecord> = read_rows(&mut rows, SealedTable::Index, &mut damage);
        let consents: Vec<ConsentRecord> = read_rows(&mut rows, SealedTable::Consent, &mut damage);
        let aliases = read_aliases(&rows);
        let policy = read_policy(&rows, &mut damage);
        let plugins = Arc::new(PluginSettings::read(&mut rows, &mut damage));
        let tokens =
            read_rows::<TokenRecord>(&mut rows, SealedTable::Token, &mut damage).into_iter().collect();
        let (index, consents) = (records.into_iter().collect(), consents.into_iter().collect());
        let (trust, tools) = (Arc::new(trust), tools_of(&index));
        (Self { generation, rows, trust, index, consents, aliases, policy, plugins, tokens, tools }, damage)
    }

    /// Returns the generation, which every change increments by one.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the sealed rows.
    pub fn rows(&self) -> &SealedRows {
        &self.rows
    }

    /// Returns publishers, keys and revocations.
    pub fn trust(&self) -> &Arc<SkillTrustStore> {
        &self.trust
    }

    /// Returns the installed skills.
    pub fn index(&self) -> &InstalledSkillsIndex {
        &self.index
    }

    /// Returns the consents by payload.
    pub fn consents(&self) -> &ConsentIndex {
        &self.consents
    }

    /// Returns the tool ids by alias.
    pub fn aliases(&self) -> &BTreeMap<String, String> {
        &self.aliases
    }

    /// Returns the audit policy, including the advisories.
    pub fn audit_policy(&self) -> &AuditPolicy {
        &self.policy
    }

    /// Returns the skill of the tool with this id or name for models, in constant time.
    pub fn skill_of_tool(&self, name: &str) -> Option<&SkillRecord> {
        self.tools.get(name).map(Arc::as_ref)
    }

    /// Returns the same as [`Self::skill_of_tool`], shared.
    pub fn shared_skill_of_tool(&self, name: &str) -> Option<&Arc<SkillRecord>> {
        self.tools.get(name)
    }

    /// Returns the operator's settings for access and plugins.
    pub fn plugins(&self) -> &PluginSettings {
        &self.plugins
    }

    /// Returns the hook bindings in effect.
    pub fn hooks(&self) -> &HookIndex {
        &self.plugins.hooks
    }

    /// Returns whether the component with this payload was checked to describe itself as its manifest does.
    pub fn is_described(&self, payload: &Sha256Digest) -> bool {
        self.rows.get(SealedTable::Setting, &described_key(payload)).is_some()
    }

    /// Returns whether an installed release needs this object.
    pub(crate) fn refers_to(&self, digest: &Sha256Digest) -> bool {
        self.index.iter().any(|record| record.objects().any(|object| object == *digest))
    }

    /// Returns the ids of all installed skills.
    pub(crate) fn skill_ids(&self) -> Vec<String> {
        self.index.iter().map(|record| record.skill_id.clone()).collect()
    }

    /// Returns the rows for a repair: every release is quarantined, and tokens are removed.
    pub(crate) fn quarantined_rows(&self, reason: &str) -> Result<SealedRows, StateError> {
        let quarantine = |release: &mut InstalledRelease| {
            release.quarantine.get_or_insert_with(|| Quarantine::new(QuarantineCause::Trust, reason));
        };
        let mut changes = Vec::new();
        for record in self.index.iter() {
            let mut record = record.clone();
            quarantine(&mut record.current);
            record.waiting.as_deref_mut().map(quarantine);
            changes.push(record_row(&record)?);
        }
        // An older database could contain a token that was removed.
        Ok(self.rows.with(&changes).without(SealedTable::Token))
    }
}

fn tools_of(index: &InstalledSkillsIndex) -> Arc<ToolNames> {
    let tools = index.iter_shared().flat_map(|record| record.current.tools().map(move |tool| (record, tool)));
    let names = tools.flat_map(|(record, tool)| {
        [tool.id.clone(), model_name(&tool.id)].map(|name| (name, Arc::clone(record)))
    });
    Arc::new(names.collect())
}

/// Returns the row of an installed skill.
pub(crate) fn record_row(record: &SkillRecord) -> Result<RowChange, StateError> {
    let key = record.skill_id.clone();
    let bytes = serde_json::to_vec(record).map_err(StateError::record("written", &key))?;
    Ok(RowChange::Put { table: SealedTable::Index, key, bytes })
}

/// Returns the row of a consent.
pub(crate) fn consent_row(consent: &ConsentRecord) -> Result<RowChange, StateError> {
    let key = consent.request.payload.to_string();
    let bytes = serde_json::to_vec(consent).map_err(StateError::record("written", &key))?;
    Ok(RowChange::Put { table: SealedTable::Consent, key, bytes })
}

/// Returns the row of the audit policy.
pub(crate) fn policy_row(policy: &AuditPolicy) -> Result<RowChange, StateError> {
    let bytes = serde_json::to_vec(policy).map_err(StateError::record("written", AUDIT_POLICY))?;
    Ok(RowChange::Put { table: SealedTable::Setting, key: AUDIT_POLICY.into(), bytes })
}

/// Returns the row of the list of known-vulnerable dependencies.
pub(crate) fn advisories_row(list: &AdvisoryList) -> Result<RowChange, StateError> {
    let bytes = serde_json::to_vec(list).map_err(StateError::record("written", ADVISORIES))?;
    Ok(RowChange::Put { table: SealedTable::Setting, key: ADVISORIES.into(), bytes })
}

/// Returns the row that records a checked description.
pub(crate) fn described_row(payload: &Sha256Digest) -> RowChange {
    RowChange::Put { table: SealedTable::Setting, key: described_key(payload), bytes: b"true".to_vec() }
}

pub(crate) fn described_key(payload: &Sha256Digest) -> String {
    format!("{DESCRIBED}{payload}")
}

fn read_trust(rows: &SealedRows) -> Result<SkillTrustStore, palyra_skills::trust::TrustRowError> {
    let rows = rows.table(SealedTable::Trust);
    let rows = rows.map(|(key, bytes)| TrustRow { key: key.to_owned(), bytes: bytes.to_vec() });
    SkillTrustStore::from_rows(rows)
}

fn trust_damage(damage: &mut Damage, error: &palyra_skills::trust::TrustRowError) {
    damage.add("the rows of trust", "rows of this version", error, error.hint());
}

fn read_aliases(rows: &SealedRows) -> BTreeMap<String, String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    rows.table(SealedTable::Alias).map(|(name, tool)| (name.to_owned(), text(tool))).collect()
}

fn read_rows<T: serde::de::DeserializeOwned>(
    rows: &mut SealedRows,
    table: SealedTable,
    damage: &mut Damage,
) -> Vec<T> {
    let (mut read, mut gone) = (Vec::new(), Vec::new());
    for (key, bytes) in rows.table(table) {
        match read_row(table, key, bytes, damage) {
            Some(value) => read.push(value),
            None => gone.push(RowChange::Delete { table, key: key.to_owned() }),
        }
    }
    if !gone.is_empty() {
        *rows = rows.with(&gone);
    }
    read
}

fn read_row<T: serde::de::DeserializeOwned>(
    table: SealedTable,
    key: &str,
    bytes: &[u8],
    damage: &mut Damage,
) -> Option<T> {
    let unreadable = |error| {
        let row = crate::survey::row_name(table.name(), key);
        damage.add(row, "a row of this version", error, UNREADABLE);
    };
    serde_json::from_slice(bytes).map_err(unreadable).ok()
}

fn read_policy(rows: &SealedRows, damage: &mut Damage) -> AuditPolicy {
    let text = |key: &str| rows.get(SealedTable::Setting, key).map(String::from_utf8_lossy);
    let policy = text(AUDIT_POLICY).map(|text| AuditPolicy::from_json(&text)).transpose();
    let policy = policy.unwrap_or_else(|error| {
        damage.add("the audit policy", "a policy of this version", error, UNREADABLE);
        None
    });
    let advisories = text(ADVISORIES).map(|text| AdvisoryList::from_json(&text)).transpose();
    let advisories = advisories.unwrap_or_else(|error| {
        damage.add("the advisories", "a list of this version", error, UNREADABLE);
        None
    });
    let policy = policy.unwrap_or_default();
    match advisories {
        Some(list) => policy.with_advisories(Arc::new(list)),
        None => policy,
    }
}
