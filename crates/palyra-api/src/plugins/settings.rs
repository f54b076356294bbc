//! What an operator sets for a plugin: its profile and its settings.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// The profile of a skill: what its runs get at most, and where its roots lead.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Profile {
    /// The skill.
    pub skill_id: String,
    /// The revision; 0 where nobody set a profile.
    pub revision: u64,
    /// The most its runs get, as `--grant` writes it; none narrows nothing, an empty list leaves nothing.
    pub grants: Option<Vec<String>>,
    /// The directory of each logical root.
    pub directories: BTreeMap<String, String>,
    /// Address ranges that are closed otherwise.
    pub allow_addresses: Vec<String>,
    /// Ceilings by limit.
    pub limits: BTreeMap<String, u64>,
}

/// The body of `PUT /v1/plugins/{skill_id}/profile`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileChange {
    /// Whether runs get at most the grants named here; else these are added to what the profile lets through.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only: bool,
    /// Grants as `--grant` writes them; `fs-read:NAME=DIR` maps a directory, `address:RANGE` opens a range.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grants: Vec<String>,
    /// Ceilings, as in `fuel=1000000`; the others stay.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<String>,
}

/// The settings of a skill.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Config {
    /// The skill.
    pub skill_id: String,
    /// The revision; 0 where nothing was set.
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
    /// What it is for.
    pub description: Option<String>,
    /// Whether runs are refused without it.
    pub required: bool,
    /// The value runs get; `null` where there is none, or where it is kept out of outputs.
    #[serde(with = "palyra_common::json::in_order")]
    #[schema(value_type = Object)]
    pub value: Value,
    /// Whether the value is kept out of outputs.
    pub redacted: bool,
    /// Where the value comes from.
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

/// Where the value of a setting comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConfigSource {
    /// An operator set it.
    Operator,
    /// The manifest's default.
    Default,
    /// There is none.
    Missing,
}

/// The body of `PUT /v1/plugins/{skill_id}/config`.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigChange {
    /// Values by the names of settings; `null` takes one away, and the others stay.
    #[schema(value_type = Object)]
    pub values: BTreeMap<String, Value>,
}

/// Whether there was something to take away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Removed {
    /// The skill.
    pub skill_id: String,
    /// Whether there was something.
    pub removed: bool,
}

impl std::fmt::Debug for ConfigChange {
    /// Names only: a value may be one that is kept out of every output.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}
