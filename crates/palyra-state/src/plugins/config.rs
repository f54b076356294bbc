//! Settings of a skill: declared by its manifest, set by an operator, delivered to its runs.
//!
//! A setting of type `secret` contains the name of a secret that the manifest requests, never its value; the
//! guest exchanges the name for a handle.

pub use palyra_common::model::plugins::ConfigSource;

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

/// Maximum length of a text setting in bytes.
const MAX_TEXT_BYTES: usize = 4_096;

/// Values by setting name.
pub type ConfigValues = BTreeMap<String, Value>;

/// The settings of a skill as shown to an operator, with redacted values left out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownConfig {
    /// Id of the skill.
    pub skill_id: String,
    /// Generation in which a setting was changed last; 0 if none was set.
    pub revision: u64,
    /// Every setting of the manifest, by name.
    pub fields: Vec<ShownField>,
}

/// One setting with its effective value.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ShownField {
    /// Name from the manifest.
    pub name: String,
    /// Type from the manifest.
    pub kind: ConfigFieldKind,
    /// Description from the manifest.
    pub description: Option<String>,
    /// True if a run fails without a value.
    pub required: bool,
    /// The effective value; `null` if there is none or it is redacted.
    pub value: Value,
    /// True if the manifest marks the value as redacted.
    pub redacted: bool,
    /// Origin of the value.
    pub source: ConfigSource,
}

impl SettingStore<'_> {
    /// Returns the settings of an installed skill.
    pub fn plugin_config(&self, skill_id: &str) -> Result<ShownConfig, PluginSettingError> {
        let record = self.installed_for_setting(skill_id)?;
        let stored = self.state.view().plugins().configs.get(skill_id).cloned().unwrap_or_default();
        let fields = record.current.manifest.operator.config.iter();
        let fields = fields.map(|(name, field)| shown(name, field, stored.value.get(name))).collect();
        Ok(ShownConfig { skill_id: skill_id.to_owned(), revision: stored.revision, fields })
    }

    /// Sets values of an installed skill after checking them against its manifest, and returns the revision;
    /// `null` removes a value.
    pub fn set_plugin_config(
        &self,
        skill_id: &str,
        changes: &ConfigValues,
        principal: &str,
    ) -> Result<u64, PluginSettingError> {
        let mut gate = self.state.gate();
        let record = self.installed_for_setting(skill_id)?;
        check_all(&record.current.manifest, changes)?;
        let mut values = gate.view.plugins().configs.get(skill_id).cloned().unwrap_or_default().value;
        for (name, value) in changes {
            match value {
                Value::Null => drop(values.remove(name)),
                value => drop(values.insert(name.clone(), value.clone())),
            }
        }
        let revision = gate.view.generation() + 1;
        let rows = vec![put(format!("{CONFIG}{skill_id}"), revision, &values)?];
        // Names only, because a value may be marked as redacted.
        let details = json!({ "revision": revision, "changed": changes.keys().collect::<Vec<_>>() });
        let event = self.state.event(EventKind::PluginConfigChanged, principal);
        let event = event.skill(skill_id).details(details);
        self.state.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(revision)
    }

    /// Removes every setting of a skill; returns whether there was one.
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

/// Returns the settings for a run. Fails if a required one has no value, or if a stored value no longer
/// matches the manifest.
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
    // The value is not repeated in the error, because it may be a secret instead of the name of one.
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
