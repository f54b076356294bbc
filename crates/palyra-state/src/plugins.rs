//! Settings of operators: the access policy, the runner policy, and a profile and settings for each skill.
//!
//! Each is a sealed row with a revision: the generation it was set in, which no later value shares.

mod access;
mod config;
mod error;
mod policy;
mod profile;

use std::collections::BTreeMap;
use std::sync::Arc;

use palyra_common::{PluginCapabilityProfile, WasmPluginRunnerPolicy};
use serde::{Deserialize, Serialize};

pub use access::AccessPolicy;
pub use config::effective_config;
pub use config::{ConfigSource, ConfigValues, ShownConfig, ShownField};
pub use error::PluginSettingError;
pub use profile::check_outside;

use crate::channels::ChannelRecord;
use crate::damage::Damage;
use crate::db::{RowChange, SealedRows, SealedTable};
use crate::error::StateError;
use crate::hooks::{AppliedBindings, HookIndex};
use crate::models::ModelSettings;
use crate::runs::RunRetention;

const ACCESS: &str = "access_policy";
const POLICY: &str = "runner_policy";
const RETENTION: &str = "run_retention";
const PROFILE: &str = "profile/";
const CONFIG: &str = "config/";
const HOOKS: &str = "hook_bindings";
const CHANNELS: &str = "channels";
const MODELS: &str = "models";

/// A setting with the generation it was set in; 0 for the default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revised<T> {
    /// Generation in which the value was set; increases with every change.
    pub revision: u64,
    /// The setting itself.
    pub value: T,
}

/// All settings of operators as of one commit.
#[derive(Debug, Clone, Default)]
pub struct PluginSettings {
    /// Policy for actions of principals.
    pub access: AccessPolicy,
    /// Limits and permissions of all runs.
    pub policy: Revised<WasmPluginRunnerPolicy>,
    /// Capability profiles by skill id.
    pub profiles: BTreeMap<String, Revised<PluginCapabilityProfile>>,
    /// Setting values by skill id.
    pub configs: BTreeMap<String, Revised<ConfigValues>>,
    pub(crate) retention: Revised<RunRetention>,
    /// Hook bindings in effect.
    pub hooks: HookIndex,
    pub(crate) channels: Arc<BTreeMap<String, ChannelRecord>>,
    pub(crate) models: Arc<ModelSettings>,
}

impl PluginSettings {
    /// Reads the rows; a row that cannot be parsed is reported as damage and skipped.
    pub(crate) fn read(rows: &mut SealedRows, damage: &mut Damage) -> Self {
        let mut settings = Self::default();
        let mut gone = Vec::new();
        for (key, bytes) in rows.table(SealedTable::Setting) {
            if let Err(error) = settings.take(key, bytes) {
                let row = crate::survey::row_name(SealedTable::Setting.name(), key);
                let remedy = "a repair drops it; its decision has to be made again";
                damage.add(row, "a row of this version", error, remedy);
                gone.push(RowChange::Delete { table: SealedTable::Setting, key: key.to_owned() });
            }
        }
        if !gone.is_empty() {
            *rows = rows.with(&gone);
        }
        settings
    }

    fn take(&mut self, key: &str, bytes: &[u8]) -> serde_json::Result<()> {
        if key == ACCESS {
            self.access = serde_json::from_slice::<access::StoredAccess>(bytes)?.into();
        } else if key == POLICY {
            self.policy = serde_json::from_slice(bytes)?;
        } else if key == HOOKS {
            let applied: Revised<AppliedBindings> = serde_json::from_slice(bytes)?;
            self.hooks = HookIndex::new(applied.revision, applied.value);
        } else if key == CHANNELS {
            let kept: Revised<BTreeMap<String, ChannelRecord>> = serde_json::from_slice(bytes)?;
            self.channels = Arc::new(kept.value);
        } else if key == MODELS {
            self.models = Arc::new(serde_json::from_slice::<Revised<ModelSettings>>(bytes)?.value);
        } else if key == RETENTION {
            self.retention = serde_json::from_slice(bytes)?;
        } else if let Some(skill_id) = key.strip_prefix(PROFILE) {
            self.profiles.insert(skill_id.to_owned(), serde_json::from_slice(bytes)?);
        } else if let Some(skill_id) = key.strip_prefix(CONFIG) {
            self.configs.insert(skill_id.to_owned(), serde_json::from_slice(bytes)?);
        }
        Ok(())
    }
}

/// Returns the changes that remove the profile and the settings of a removed skill.
pub(crate) fn rows_of_skill(rows: &SealedRows, skill_id: &str) -> Vec<RowChange> {
    let keys = [format!("{PROFILE}{skill_id}"), format!("{CONFIG}{skill_id}")];
    let there = keys.into_iter().filter(|key| rows.get(SealedTable::Setting, key).is_some());
    there.map(|key| RowChange::Delete { table: SealedTable::Setting, key }).collect()
}

/// Returns the row of the hook bindings.
pub(crate) fn put_hooks(revision: u64, applied: &AppliedBindings) -> Result<RowChange, StateError> {
    put(HOOKS.to_owned(), revision, applied)
}

/// Returns the row of the channels.
pub(crate) fn put_channels(
    revision: u64,
    channels: &BTreeMap<String, ChannelRecord>,
) -> Result<RowChange, StateError> {
    put(CHANNELS.to_owned(), revision, channels)
}

/// Returns the row of the models.
pub(crate) fn put_models(revision: u64, models: &ModelSettings) -> Result<RowChange, StateError> {
    put(MODELS.to_owned(), revision, models)
}

/// Returns the row of the retention settings.
pub(crate) fn put_retention(revision: u64, retention: &RunRetention) -> Result<RowChange, StateError> {
    put(RETENTION.to_owned(), revision, retention)
}

fn put<T: Serialize>(key: String, revision: u64, value: &T) -> Result<RowChange, StateError> {
    #[derive(Serialize)]
    struct Row<'a, T> {
        revision: u64,
        value: &'a T,
    }
    let bytes = serde_json::to_vec(&Row { revision, value }).map_err(StateError::record("written", &key))?;
    Ok(RowChange::Put { table: SealedTable::Setting, key, bytes })
}

crate::state::store! {
    /// Reads and changes the access policy, the runner policy, and the profile and settings of each skill.
    SettingStore, settings
}

impl SettingStore<'_> {
    /// Returns the record of a skill, or an error if it is not installed.
    fn installed_for_setting(
        &self,
        skill_id: &str,
    ) -> Result<palyra_skills::SkillRecord, PluginSettingError> {
        self.state.skills().record(skill_id).map_err(PluginSettingError::from)
    }
}
