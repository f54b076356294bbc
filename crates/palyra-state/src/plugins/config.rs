//! The settings of a skill: typed by its manifest, filled in by an operator, delivered to its runs.
//!
//! A setting of type `secret` holds the name of a secret the manifest asks for, never a value; a guest turns the name
//! into a handle.

use std::collections::BTreeMap;

use palyra_common::capabilities::SecretRef;
use palyra_common::{BadSetting, JsonText, WasmPluginRunError};
use palyra_journal::EventKind;
use palyra_skills::capability_grants_from_manifest;
use palyra_skills::manifest::{ConfigField, ConfigFieldKind, SkillManifest};
use serde::Serialize;
use serde_json::{Value, json};

use super::{CONFIG, PluginSettingError, Revised, SettingStore, put};
use crate::commit::Change;
use crate::db::{RowChange, SealedTable};

/// Longest text of a setting.
const MAX_TEXT_BYTES: usize = 4_096;

/// Values by the names of settings.
pub type ConfigValues = BTreeMap<String, Value>;

/// The settings of a skill as an operator sees them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownConfig {
    /// The skill.
    pub skill_id: String,
    /// The revision; 0 if nothing was set.
    pub revision: u64,
    /// Every setting of its manifest, by name.
    pub fields: Vec<ShownField>,
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownField {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: ConfigFieldKind,
    /// Purpose.
    pub description: Option<String>,
    /// Whether it is required.
    pub required: bool,
    /// The effective value; `null` if there is none or it is redacted.
    pub value: Value,
    /// Whether the value is redacted.
    pub redacted: bool,
    /// Origin of the value.
    pub source: ConfigSource,
}

/// Origin of the value of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfigSource {
    /// An operator set it.
    Operator,
    /// The manifest's default.
    Default,
    /// There is none.
    Missing,
}

impl SettingStore<'_> {
    /// The settings of an installed skill.
    pub fn plugin_config(&self, skill_id: &str) -> Result<ShownConfig, PluginSettingError> {
        let record = self.installed_for_setting(skill_id)?;
        let stored = self.state.view().plugins().configs.get(skill_id).cloned().unwrap_or_default();
        let fields = record.current.manifest.operator.config.iter();
        let fields = fields.map(|(name, field)| shown(name, field, stored.value.get(name))).collect();
        Ok(ShownConfig { skill_id: skill_id.to_owned(), revision: stored.revision, fields })
    }

    /// Sets some settings of an installed skill, checked against its manifest; `null` takes a value away.
    pub fn set_plugin_config(
        &self,
        skill_id: &str,
        changes: &ConfigValues,
        principal: &str,
    ) -> Result<u64, PluginSettingError> {
        let record = self.installed_for_setting(skill_id)?;
        check_all(&record.current.manifest, changes)?;
        let mut gate = self.state.gate();
        let mut values = gate.view.plugins().configs.get(skill_id).cloned().unwrap_or_default().value;
        for (name, value) in changes {
            match value {
                Value::Null => drop(values.remove(name)),
                value => drop(values.insert(name.clone(), value.clone())),
            }
        }
        let revision = gate.view.generation() + 1;
        let rows = vec![put(format!("{CONFIG}{skill_id}"), revision, &values)?];
        // Names only: a value may be one that is kept out of every output.
        let details = json!({ "revision": revision, "changed": changes.keys().collect::<Vec<_>>() });
        let event = self.state.event(EventKind::PluginConfigChanged, principal);
        let event = event.skill(skill_id).details(details);
        self.state.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(revision)
    }

    /// Takes every setting of a skill away; says whether there was one.
    pub fn remove_plugin_config(&self, skill_id: &str, principal: &str) -> Result<bool, PluginSettingError> {
        let mut gate = self.state.gate();
        if !gate.view.plugins().configs.contains_key(skill_id) {
            return Ok(false);
        }
        let key = format!("{CONFIG}{skill_id}");
        let rows = vec![RowChange::Delete { table: SealedTable::Setting, key }];
        let event = self.state.event(EventKind::PluginConfigChanged, principal);
        let event = event.skill(skill_id).details(json!({ "removed": true }));
        self.state.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(true)
    }
}

/// The settings as a run gets them; a required one without a value, or one that no longer fits, refuses the run.
pub fn effective_config(
    skill_id: &str,
    manifest: &SkillManifest,
    stored: Option<&Revised<ConfigValues>>,
) -> Result<JsonText, WasmPluginRunError> {
    let refuse = |name: &str, reason: String| WasmPluginRunError::NotRunnable {
        name: skill_id.to_owned(),
        reason,
        remedy: format!("palyra plugins config set {skill_id} {name}=VALUE"),
    };
    let mut values = serde_json::Map::new();
    for (name, field) in &manifest.operator.config {
        let set = stored.and_then(|stored| stored.value.get(name));
        if let Some(value) = set {
            check(manifest, name, field, value).map_err(|bad| {
                refuse(
                    name,
                    format!(
                        "invalid setting: \
                {bad}"
                    ),
                )
            })?;
        }
        match set.or(field.default.as_ref()) {
            Some(value) => drop(values.insert(name.clone(), value.clone())),
            None if field.required => {
                return Err(refuse(name, format!("its setting `{name}` has no value")));
            }
            None => {}
        }
    }
    Ok(JsonText::from(&Value::Object(values)))
}

fn shown(name: &str, field: &ConfigField, set: Option<&Value>) -> ShownField {
    let source = match (set, &field.default) {
        (Some(_), _) => ConfigSource::Operator,
        (None, Some(_)) => ConfigSource::Default,
        (None, None) => ConfigSource::Missing,
    };
    let value = set.or(field.default.as_ref()).filter(|_| !field.redacted);
    ShownField {
        name: name.to_owned(),
        kind: field.kind,
        description: field.description.clone(),
        required: field.required,
        value: value.cloned().unwrap_or_default(),
        redacted: field.redacted,
        source,
    }
}

fn check_all(manifest: &SkillManifest, changes: &ConfigValues) -> Result<(), PluginSettingError> {
    let fields = &manifest.operator.config;
    for (name, value) in changes {
        let field = fields.get(name).ok_or_else(|| PluginSettingError::NoSuchSetting {
            skill_id: manifest.skill_id.clone(),
            name: crate::text::short_name(name),
            known: fields.keys().cloned().collect(),
        })?;
        if !value.is_null() {
            check(manifest, name, field, value)?;
        }
    }
    Ok(())
}

fn check(manifest: &SkillManifest, name: &str, field: &ConfigField, value: &Value) -> Result<(), BadSetting> {
    let (fits, expected) = match field.kind {
        ConfigFieldKind::String => (value.as_str().is_some_and(|text| text.len() <= MAX_TEXT_BYTES), "text"),
        ConfigFieldKind::Integer => (value.is_i64() || value.is_u64(), "a whole number"),
        ConfigFieldKind::Number => (value.is_number(), "a number"),
        ConfigFieldKind::Boolean => (value.is_boolean(), "`true` or `false`"),
        ConfigFieldKind::Secret => (
            value.as_str().is_some_and(|text| asks_for_secret(manifest, text)),
            "the name of a secret that the manifest requests, for example `global/github_token`",
        ),
    };
    // The value is not repeated, because it may be a secret instead of its name.
    if fits {
        Ok(())
    } else {
        Err(BadSetting::new(name, format!("{} that does not fit", kind_of(value)), expected))
    }
}

fn asks_for_secret(manifest: &SkillManifest, text: &str) -> bool {
    let asked = capability_grants_from_manifest(manifest);
    text.parse::<SecretRef>().is_ok_and(|secret| asked.secrets().iter().any(|grant| grant.secret == secret))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
