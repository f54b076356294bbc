//! Reads and changes the models: one sealed row, and a leaf for every change.

use std::sync::Arc;

use palyra_journal::EventKind;
use serde_json::{Value, json};

use super::{ModelRecord, ModelSettings};
use crate::DefinitionError;
use crate::commit::Change;
use crate::plugins::put_models;
use crate::text::short_name;

/// Maximum number of models.
const MAX_MODELS: usize = 64;

crate::state::store! {
    /// Reads and changes the models of a state.
    ModelStore, models
}

impl ModelStore<'_> {
    /// Returns the models by name.
    pub fn list(&self) -> Vec<ModelRecord> {
        self.settings().models.values().cloned().collect()
    }

    /// Returns the model with this name.
    pub fn get(&self, name: &str) -> Result<ModelRecord, DefinitionError> {
        let settings = self.settings();
        settings.models.get(name).cloned().ok_or_else(|| unknown(&settings, name))
    }

    /// Returns the name of the default model.
    pub fn default_name(&self) -> Option<String> {
        self.settings().default.clone()
    }

    /// Adds a model on behalf of a principal; the first one becomes the default.
    pub fn add(&self, record: ModelRecord, principal: &str) -> Result<ModelRecord, DefinitionError> {
        let record = record.checked()?;
        let details = json!({
            "added": record.name,
            "protocol": record.protocol,
            "base_url": record.base_url,
            "model": record.model,
        });
        let added = record.clone();
        self.change(principal, |settings| {
            if settings.models.contains_key(&record.name) {
                return Err(DefinitionError::Exists { kind: "model", name: record.name });
            }
            if settings.models.len() >= MAX_MODELS {
                return Err(DefinitionError::TooMany { kind: "model", most: MAX_MODELS });
            }
            settings.default.get_or_insert_with(|| record.name.clone());
            settings.models.insert(record.name.clone(), record);
            Ok(details)
        })?;
        Ok(added)
    }

    /// Removes a model. If it was the default, the agent has no model until another default is set.
    pub fn remove(&self, name: &str, principal: &str) -> Result<ModelRecord, DefinitionError> {
        let removed = self.get(name)?;
        self.change(principal, |settings| {
            if settings.models.remove(name).is_none() {
                return Err(unknown(settings, name));
            }
            settings.default.take_if(|default| default == name);
            Ok(json!({ "removed": name }))
        })?;
        Ok(removed)
    }

    /// Sets the default model.
    pub fn set_default(&self, name: &str, principal: &str) -> Result<ModelRecord, DefinitionError> {
        self.change(principal, |settings| {
            if !settings.models.contains_key(name) {
                return Err(unknown(settings, name));
            }
            settings.default = Some(name.to_owned());
            Ok(json!({ "default": name }))
        })?;
        self.get(name)
    }

    fn settings(&self) -> Arc<ModelSettings> {
        Arc::clone(&self.state.view().plugins().models)
    }

    /// Commits a change with its leaf; `change` returns the details of the leaf.
    fn change(
        &self,
        principal: &str,
        change: impl FnOnce(&mut ModelSettings) -> Result<Value, DefinitionError>,
    ) -> Result<(), DefinitionError> {
        let mut gate = self.state.gate();
        let mut settings = (*gate.view.plugins().models).clone();
        let details = change(&mut settings)?;
        let rows = vec![put_models(gate.view.generation() + 1, &settings)?];
        let event = self.state.event(EventKind::ModelsChanged, principal).details(details);
        self.state.commit(&mut gate, Change { rows, events: vec![event] })?;
        Ok(())
    }
}

fn unknown(settings: &ModelSettings, name: &str) -> DefinitionError {
    DefinitionError::Unknown {
        kind: "model",
        name: short_name(name),
        known: settings.models.keys().cloned().collect(),
    }
}
