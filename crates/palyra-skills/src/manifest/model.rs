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
    /// The version of this format, always 1.
    #[schemars(range(min = 1, max = 1))]
    #[schemars(example = 1)]
    pub manifest_version: u32,
    /// `PUBLISHER.NAME`, unique among installed skills.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9_]*\.[a-z][a-z0-9_-]*$"))]
    #[schemars(example = &"acme.notes")]
    pub skill_id: String,
    /// The name that people see, on one line.
    #[schemars(example = &"Notes")]
    pub name: String,
    /// The release, as strict semantic versioning without build metadata.
    #[serde(deserialize_with = "strict_version")]
    #[schemars(with = "String", regex(pattern = VERSION_PATTERN))]
    #[schemars(example = &"1.2.0")]
    pub version: Version,
    /// The publisher: the part of `skill_id` before the dot.
    #[schemars(regex(pattern = r"^[a-z][a-z0-9]*(_[a-z0-9]+)*$"))]
    #[schemars(example = &"acme")]
    pub publisher: String,
    /// A number that grows with each release; installation rejects a release with a smaller one.
    #[schemars(range(min = 1))]
    #[schemars(example = 3)]
    pub release_counter: u64,
    /// What the skill does, on one line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"Keeps short notes")]
    pub summary: Option<String>,
    /// What the skill does, in a paragraph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"Notes are kept in the skill's own storage and can be searched.")]
    pub description: Option<String>,
    /// The licence, as an SPDX expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"MIT OR Apache-2.0")]
    pub license: Option<String>,
    /// An `https` address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"https://notes.acme.example")]
    pub homepage: Option<String>,
    /// Categories for catalogues.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["productivity"]))]
    pub categories: Vec<String>,
    /// Search words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["notes", "text"]))]
    pub tags: Vec<String>,
    /// The tools and hooks of the skill.
    #[serde(default, skip_serializing_if = "is_default")]
    pub entrypoints: Entrypoints,
    /// The permissions that the skill requests; none by default.
    #[serde(default, skip_serializing_if = "is_default")]
    pub capabilities: Capabilities,
    /// The supported versions of Palyra.
    pub compat: Compat,
    /// Settings that the operator fills in.
    #[serde(default, skip_serializing_if = "is_default")]
    pub operator: Operator,
}

/// The tools and hooks of a skill.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Entrypoints {
    /// The tools, one table each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolEntrypoint>,
    /// The hooks, one table each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<HookEntrypoint>,
}

/// A tool that people, models and other programs can call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolEntrypoint {
    /// The id of the tool; starts with the publisher and has at most 60 bytes.
    #[schemars(regex(pattern = r"^[a-z0-9_]+(\.[a-z0-9_]+)+$"), length(max = 60))]
    #[schemars(example = &"acme.notes.add")]
    pub id: String,
    /// The name that people see.
    #[schemars(example = &"Add a note")]
    pub name: String,
    /// What the tool does; models choose tools by this text.
    #[schemars(example = &"Adds a note and returns its id")]
    pub description: String,
    /// JSON Schema 2020-12 of the input.
    #[serde(serialize_with = "in_order::serialize", deserialize_with = "in_order::deserialize")]
    #[schemars(example = serde_json::json!({ "type": "object", "properties": { "text": { "type": "string" } } }))]
    pub input_schema: serde_json::Value,
    /// JSON Schema 2020-12 of the output.
    #[serde(serialize_with = "in_order::serialize", deserialize_with = "in_order::deserialize")]
    #[schemars(example = serde_json::json!({ "type": "object", "properties": { "id": { "type": "string" } } }))]
    pub output_schema: serde_json::Value,
    /// The WebAssembly module that contains the tool.
    #[schemars(regex(pattern = r"^modules/[a-z0-9._/-]+\.wasm$"))]
    #[schemars(example = &"modules/notes.wasm")]
    pub module: String,
    /// The exported function; core modules only, components export `palyra:plugin/tools`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"palyra_plugin_main")]
    pub export: Option<String>,
    /// The risk of the tool.
    #[serde(default, skip_serializing_if = "is_default")]
    pub risk: Risk,
    /// What runs of this tool get of the skill's capabilities; all of them without this table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<ToolCapabilities>,
    /// The type of the output: `json`, or `a2ui` for a document that is displayed.
    #[serde(default, skip_serializing_if = "is_default")]
    #[schemars(example = &"json")]
    pub returns: ToolReturns,
    /// Valid inputs, for people, models and generated commands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[serde(serialize_with = "in_order::list::serialize", deserialize_with = "in_order::list::deserialize")]
    #[schemars(example = serde_json::json!([{ "text": "buy milk" }]))]
    pub examples: Vec<serde_json::Value>,
}

/// What one tool needs of the skill's capabilities. Its runs get only what is listed here and requested by the skill;
/// an empty table leaves nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolCapabilities {
    /// Hosts that can be reached over HTTPS on port 443 with any method and path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["api.acme.example"]))]
    pub http_egress_allowlist: Vec<String>,
    /// Hosts with methods, paths and byte limits; a limit that is left out is the skill's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub http_rules: Vec<HttpRuleText>,
    /// Directories, by the skill's logical names.
    #[serde(default, skip_serializing_if = "is_default")]
    pub filesystem: FilesystemRoots,
    /// Secrets, and the hosts that receive them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<SecretAccess>,
    /// Key prefixes of the skill's own storage that can be read and written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["notes/drafts/"]))]
    pub storage_prefixes: Vec<String>,
    /// Key prefixes of the skill's own storage that can be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["notes/"]))]
    pub storage_read_prefixes: Vec<String>,
    /// Channels it can publish to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["alerts"]))]
    pub channels: Vec<String>,
}

impl ToolCapabilities {
    /// Returns the capabilities as those of a skill that requests nothing else, with its settings for every request.
    pub(crate) fn within(&self, skill: &Capabilities) -> Capabilities {
        let Self {
            http_egress_allowlist,
            http_rules,
            filesystem,
            secrets,
            storage_prefixes,
            storage_read_prefixes,
            channels,
        } = self.clone();
        Capabilities {
            http_egress_allowlist,
            http_rules,
            filesystem,
            secrets,
            storage_quota_bytes: skill.storage_quota_bytes.filter(|_| !storage_prefixes.is_empty()),
            storage_prefixes,
            storage_read_prefixes,
            channels,
            wildcard_opt_in: skill.wildcard_opt_in,
            ..Capabilities::default()
        }
    }
}

/// The risk of a tool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Risk {
    /// Whether results are treated as sensitive.
    #[serde(default)]
    #[schemars(example = false)]
    pub default_sensitive: bool,
    /// Whether a person must approve each call.
    #[serde(default)]
    #[schemars(example = true)]
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

/// A function that is called for events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HookEntrypoint {
    /// The id of the hook, in the form of tool ids.
    #[schemars(regex(pattern = r"^[a-z0-9_]+(\.[a-z0-9_]+)+$"), length(max = 60))]
    #[schemars(example = &"acme.notes.audit")]
    pub id: String,
    /// The WebAssembly module that contains the hook.
    #[schemars(regex(pattern = r"^modules/[a-z0-9._/-]+\.wasm$"))]
    #[schemars(example = &"modules/notes.wasm")]
    pub module: String,
    /// The exported function; core modules only, components export `palyra:plugin/hooks`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"on_event")]
    pub export: Option<String>,
    /// The events it can be bound to.
    #[schemars(example = serde_json::json!(["run:completed"]))]
    pub events: Vec<String>,
}

/// The requested permissions; a run gets what consent, capability profile and policies also allow.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capabilities {
    /// Hosts that can be reached over HTTPS on port 443 with any method and path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["api.acme.example"]))]
    pub http_egress_allowlist: Vec<String>,
    /// Hosts with methods, paths and byte limits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub http_rules: Vec<HttpRuleText>,
    /// Directories, by logical names that the operator maps to real ones.
    #[serde(default, skip_serializing_if = "is_default")]
    pub filesystem: FilesystemRoots,
    /// Secrets, and the hosts that receive them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<SecretAccess>,
    /// Key prefixes of the skill's own storage, to read and write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["notes/"]))]
    pub storage_prefixes: Vec<String>,
    /// Key prefixes of the skill's own storage, to read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["archive/"]))]
    pub storage_read_prefixes: Vec<String>,
    /// Maximum number of bytes stored under each prefix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 1_048_576)]
    pub storage_quota_bytes: Option<u64>,
    /// Channels it can publish to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["alerts"]))]
    pub channels: Vec<String>,
    /// Devices of the machine.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub device_capabilities: Vec<String>,
    /// Requirements of the machine: `os:NAME`, `arch:NAME`, `net`, `gpu`, `display`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["net"]))]
    pub node_capabilities: Vec<String>,
    /// Limits of a run that differ from the defaults, up to the operator's ceiling.
    #[serde(default, skip_serializing_if = "is_default")]
    pub quotas: Quotas,
    /// Confirms that `*` in a host name is intended.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(example = true)]
    pub wildcard_opt_in: bool,
}

/// An HTTP rule; a request must match one rule completely.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HttpRuleText {
    /// A host name, or `*.NAME` for its subdomains.
    #[schemars(example = &"api.acme.example")]
    pub host: String,
    /// `https` (default) or `http`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"https")]
    pub scheme: Option<String>,
    /// Port numbers; the default is the port of the scheme.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!([443]))]
    pub ports: Vec<u16>,
    /// HTTP methods; the default is any method.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["GET", "POST"]))]
    pub methods: Vec<String>,
    /// Paths; the default is any path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["/v1/notes/*"]))]
    pub paths: Vec<String>,
    /// Maximum size of one request body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 65_536)]
    pub request_bytes: Option<u64>,
    /// Maximum size of one response body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 1_048_576)]
    pub response_bytes: Option<u64>,
    /// Maximum number of bytes of one run under this rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 4_194_304)]
    pub total_bytes: Option<u64>,
}

/// Directories by logical name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilesystemRoots {
    /// Directories that the guest can read, mounted as `/NAME`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["documents"]))]
    pub read_roots: Vec<String>,
    /// Directories that the guest can read and write.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["exports"]))]
    pub write_roots: Vec<String>,
}

/// Secrets of one scope; unless `reveal` is granted, the guest never sees a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SecretAccess {
    /// The scope of the secret in the vault: `global`, `principal:NAME`, `channel:NAME` or `skill:ID`.
    #[schemars(example = &"global")]
    pub scope: String,
    /// Names of secrets in that scope.
    #[schemars(example = serde_json::json!(["notes-token"]))]
    pub key_names: Vec<String>,
    /// Hosts that the secret can be sent to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["api.acme.example"]))]
    pub hosts: Vec<String>,
    /// How it is sent: `bearer` or `header:NAME`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(example = serde_json::json!(["bearer"]))]
    pub inject: Vec<String>,
    /// Whether the guest can read the value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(example = false)]
    pub reveal: bool,
}

/// Limits by the names of [`palyra_common::RuntimeLimits`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Quotas(pub BTreeMap<String, u64>);

/// The supported versions of Palyra.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compat {
    /// The major version of the plugin contract, 1.
    #[schemars(example = 1)]
    pub required_protocol_major: u32,
    /// The oldest supported version of Palyra.
    #[serde(deserialize_with = "strict_version")]
    #[schemars(with = "String", regex(pattern = VERSION_PATTERN))]
    #[schemars(example = &"0.1.0")]
    pub min_palyra_version: Version,
    /// The newest supported version of Palyra.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "optional_strict_version")]
    #[schemars(with = "Option<String>", regex(pattern = VERSION_PATTERN))]
    #[schemars(example = &"0.9.0")]
    pub max_palyra_version: Option<Version>,
}

/// Operator settings.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Operator {
    /// Settings by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub config: BTreeMap<String, ConfigField>,
}

/// A setting; the guest reads it with `operator.config`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConfigField {
    /// The type of the value.
    #[serde(rename = "type")]
    #[schemars(example = &"string")]
    pub kind: ConfigFieldKind,
    /// The purpose of the setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"Folder that new notes go to")]
    pub description: Option<String>,
    /// The value if the operator has set none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(
        serialize_with = "in_order::optional::serialize",
        deserialize_with = "in_order::optional::deserialize"
    )]
    #[schemars(example = &"inbox")]
    pub default: Option<serde_json::Value>,
    /// Whether the skill cannot run without a value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(example = false)]
    pub required: bool,
    /// Whether the value is omitted from every output.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(example = false)]
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

/// Parses strict semver without build metadata: `1.0.0+x` and `1.0.0` would be two versions of equal precedence.
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
