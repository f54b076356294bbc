//! The tables of `skill.toml` as they are written; [`super::parse_manifest_toml`] is the only way to one that is checked.

use std::collections::BTreeMap;

use palyra_common::json::in_order;
use schemars::JsonSchema;
use semver::Version;
use serde::{Deserialize, Deserializer, Serialize};

/// A checked manifest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SkillManifest {
    /// The version of this format; 1.
    #[schemars(range(min = 1, max = 1))]
    pub manifest_version: u32,
    /// `<publisher>.<name>`, as in `acme.notes`.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_-]*$"))]
    pub skill_id: String,
    /// What people call it.
    pub name: String,
    /// The version, strict semver without build metadata.
    #[serde(deserialize_with = "strict_version")]
    #[schemars(with = "String", regex(pattern = VERSION_PATTERN))]
    pub version: Version,
    /// The publisher, the first part of `skill_id`.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$"))]
    pub publisher: String,
    /// Grows by at least one with each release.
    #[schemars(range(min = 1))]
    pub release_counter: u64,
    /// One line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// A paragraph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// An SPDX expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// An `https` address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub homepage: Option<String>,
    /// Where a catalogue files it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// Words to find it by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// What can be called.
    #[serde(default, skip_serializing_if = "is_default")]
    pub entrypoints: Entrypoints,
    /// What it asks for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub capabilities: Capabilities,
    /// What it runs on.
    pub compat: Compat,
    /// What an operator may set.
    #[serde(default, skip_serializing_if = "is_default")]
    pub operator: Operator,
}

/// `[entrypoints]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entrypoints {
    /// `[[entrypoints.tools]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolEntrypoint>,
    /// `[[entrypoints.hooks]]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<HookEntrypoint>,
}

/// One tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolEntrypoint {
    /// Starts with the publisher, as in `acme.notes.add`; at most 60 bytes.
    #[schemars(regex(pattern = r"^[a-z0-9_]+(\.[a-z0-9_]+)+$"), length(max = 60))]
    pub id: String,
    /// What people call it.
    pub name: String,
    /// What the model reads.
    pub description: String,
    /// JSON Schema 2020-12 of the input.
    #[serde(serialize_with = "in_order::serialize", deserialize_with = "in_order::deserialize")]
    pub input_schema: serde_json::Value,
    /// JSON Schema 2020-12 of the output.
    #[serde(serialize_with = "in_order::serialize", deserialize_with = "in_order::deserialize")]
    pub output_schema: serde_json::Value,
    /// The entry of the archive, as in `modules/notes.wasm`.
    #[schemars(regex(pattern = r"^modules/[a-z0-9._/-]+\.wasm$"))]
    pub module: String,
    /// The exported function, for core modules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export: Option<String>,
    /// How careful a caller must be.
    #[serde(default, skip_serializing_if = "is_default")]
    pub risk: Risk,
    /// What the output is.
    #[serde(default, skip_serializing_if = "is_default")]
    pub returns: ToolReturns,
    /// Inputs to show; the model reads them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(serialize_with = "in_order::list::serialize", deserialize_with = "in_order::list::deserialize")]
    pub examples: Vec<serde_json::Value>,
}

/// How careful a caller must be with a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Risk {
    /// Results are treated as sensitive unless said otherwise.
    #[serde(default)]
    pub default_sensitive: bool,
    /// A person must approve each call.
    #[serde(default)]
    pub requires_approval: bool,
}

/// What a tool's output is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ToolReturns {
    /// JSON for the caller.
    #[default]
    Json,
    /// A document for the console.
    A2ui,
}

/// One hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HookEntrypoint {
    /// Its id, in the grammar of tool ids.
    #[schemars(regex(pattern = r"^[a-z0-9_]+(\.[a-z0-9_]+)+$"), length(max = 60))]
    pub id: String,
    /// The entry of the archive.
    #[schemars(regex(pattern = r"^modules/[a-z0-9._/-]+\.wasm$"))]
    pub module: String,
    /// The exported function, for core modules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub export: Option<String>,
    /// The events it may be bound to.
    pub events: Vec<String>,
}

/// `[capabilities]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capabilities {
    /// Hosts reached over https on port 443 with any method and path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub http_egress_allowlist: Vec<String>,
    /// Rules with methods, paths and caps.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub http_rules: Vec<HttpRuleText>,
    /// Logical names of directories.
    #[serde(default, skip_serializing_if = "is_default")]
    pub filesystem: FilesystemRoots,
    /// Secrets and where they may go.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<SecretAccess>,
    /// Prefixes of the skill's own storage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub storage_prefixes: Vec<String>,
    /// Most bytes kept under each of the prefixes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage_quota_bytes: Option<u64>,
    /// Channels it may publish to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub channels: Vec<String>,
    /// Devices of the machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_capabilities: Vec<String>,
    /// What the machine must have: `os:…`, `arch:…`, `net`, `gpu`, `display`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub node_capabilities: Vec<String>,
    /// Limits asked for, under the operator's ceiling.
    #[serde(default, skip_serializing_if = "is_default")]
    pub quotas: Quotas,
    /// Says that a wildcard host is meant.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub wildcard_opt_in: bool,
}

/// `[[capabilities.http_rules]]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpRuleText {
    /// A name or `*.name`.
    pub host: String,
    /// `https` unless said otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// The scheme's own port unless said otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<u16>,
    /// Any method unless said otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub methods: Vec<String>,
    /// Any path unless said otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Cap on one request body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_bytes: Option<u64>,
    /// Cap on one response body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_bytes: Option<u64>,
    /// Cap on all bytes of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
}

/// `[capabilities.filesystem]`: logical names the operator maps to directories.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilesystemRoots {
    /// Read only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub read_roots: Vec<String>,
    /// Read and write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub write_roots: Vec<String>,
}

/// `[[capabilities.secrets]]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecretAccess {
    /// `global`, `principal:…`, `channel:…`, `skill:…`.
    pub scope: String,
    /// Names in that scope.
    pub key_names: Vec<String>,
    /// Where it may be injected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<String>,
    /// How: `bearer`, `header:NAME`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inject: Vec<String>,
    /// Whether the guest may read the value itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reveal: bool,
}

/// `[capabilities.quotas]`: the names of [`palyra_common::RuntimeLimits`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Quotas(pub BTreeMap<String, u64>);

/// `[compat]`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compat {
    /// The major version of the plugin contract.
    pub required_protocol_major: u32,
    /// The first Palyra it runs on.
    #[serde(deserialize_with = "strict_version")]
    #[schemars(with = "String", regex(pattern = VERSION_PATTERN))]
    pub min_palyra_version: Version,
    /// The last Palyra it runs on.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "optional_strict_version")]
    #[schemars(with = "Option<String>", regex(pattern = VERSION_PATTERN))]
    pub max_palyra_version: Option<Version>,
}

/// `[operator]`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Operator {
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub config: BTreeMap<String, ConfigField>,
}

/// One setting an operator may fill in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigField {
    /// What may be filled in.
    #[serde(rename = "type")]
    pub kind: ConfigFieldKind,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The value when nothing is set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(
        serialize_with = "in_order::optional::serialize",
        deserialize_with = "in_order::optional::deserialize"
    )]
    pub default: Option<serde_json::Value>,
    /// Whether the skill cannot run without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
    /// Whether its value is kept out of every output.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
}

/// The type of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
    /// A reference into the vault, delivered as a handle.
    Secret,
}

const VERSION_PATTERN: &str =
    r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$";

/// Reads strict semver and refuses build metadata: `1.0.0+x` and `1.0.0` would be two names of one precedence.
fn strict_version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Version, D::Error> {
    let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
    let refuse = || {
        let found = serde::de::Unexpected::Str(&text);
        serde::de::Error::invalid_value(
            found,
            &"a version like `1.2.3` or `1.2.3-rc.1`, without build metadata",
        )
    };
    Version::parse(&text).ok().filter(|version| version.build.is_empty()).ok_or_else(refuse)
}

fn optional_strict_version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Version>, D::Error> {
    strict_version(deserializer).map(Some)
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
