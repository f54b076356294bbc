//! An operator's settings for a plugin: its profile and its configuration.

pub use palyra_common::model::plugins::ConfigSource;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The capability profile of a skill.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Profile {
    /// The skill.
    pub skill_id: String,
    /// The revision; 0 if no profile was set.
    pub revision: u64,
    /// The upper bound of grants, in the form of `--grant`; `null` allows all, an empty list none.
    pub grants: Option<Vec<String>>,
    /// The directory of each logical root.
    pub directories: BTreeMap<String, String>,
    /// Additional address ranges that are allowed.
    pub allow_addresses: Vec<String>,
    /// Maximum values by limit.
    pub limits: BTreeMap<String, u64>,
}

/// Request body of `PUT /v1/plugins/{skill_id}/profile`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileChange {
    /// Whether the grants replace those of the profile; otherwise they are added.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only: bool,
    /// Grants in the form of `--grant`; `fs-read:NAME=DIR` maps a directory, `address:RANGE` allows a range.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
    /// Maximum values, for example `fuel=1000000`; other limits keep their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
}

/// The settings of a skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Config {
    /// The skill.
    pub skill_id: String,
    /// The revision; 0 if nothing was set.
    pub revision: u64,
    /// Every setting of its manifest, by name.
    pub fields: Vec<ConfigField>,
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ConfigField {
    /// Its name.
    pub name: String,
    /// Its type.
    pub kind: ConfigFieldKind,
    /// Purpose.
    pub description: Option<String>,
    /// Whether it is required.
    pub required: bool,
    /// The effective value; `null` if there is none or it is redacted.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub value: Value,
    /// Whether the value is redacted.
    pub redacted: bool,
    /// Origin of the value.
    pub source: ConfigSource,
}

/// The type of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ConfigFieldKind {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// True or false.
    Boolean,
    /// The name of a secret in the vault.
    Secret,
}

/// Request body of `PUT /v1/plugins/{skill_id}/config`.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigChange {
    /// Values by setting; `null` removes one, others keep their values.
    #[schema(value_type = Object)]
    pub values: BTreeMap<String, Value>,
}

/// Whether something was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Removed {
    /// The skill.
    pub skill_id: String,
    /// Whether something existed.
    pub removed: bool,
}

impl std::fmt::Debug for ConfigChange {
    /// Names only: a value may be one that is kept out of every output.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}
