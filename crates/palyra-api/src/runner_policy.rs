//! Limits of every run, independent of manifest and consent.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::bounds::whole;

/// Response of `GET`, `PUT` and `DELETE /v1/runner-policy`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunnerPolicyShown {
    /// Whether it is the default policy.
    pub default: bool,
    /// Revision of the policy; 0 for the default.
    pub revision: u64,
    /// The current policy.
    pub policy: RunnerPolicy,
}

/// Request body of `PUT /v1/runner-policy`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunnerPolicyChange {
    /// The complete policy; omitted settings have their defaults.
    pub policy: RunnerPolicy,
    /// The revision that the change is based on; a different current revision rejects the change.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "whole")]
    #[schema(maximum = 9007199254740991i64)]
    pub revision: Option<u64>,
}

/// Limits of all runs. Numbers are maximum values; a `null` list allows all, an empty list none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunnerPolicy {
    /// Whether runs are enabled.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Whether inline modules are allowed.
    #[serde(default)]
    pub allow_inline_modules: bool,
    /// Maximum size of a module.
    #[serde(default, deserialize_with = "whole")]
    #[schema(minimum = 1, maximum = 100663296)]
    pub max_module_bytes: Option<u64>,
    /// Maximum fuel of a run; `null` for the sandbox's ceiling.
    #[serde(default, deserialize_with = "whole")]
    #[schema(minimum = 1, maximum = 9007199254740991i64)]
    pub fuel_budget: Option<u64>,
    /// Maximum memory of a run.
    #[serde(default, deserialize_with = "whole")]
    #[schema(minimum = 1, maximum = 9007199254740991i64)]
    pub max_memory_bytes: Option<u64>,
    /// Maximum table elements of a run.
    #[serde(default, deserialize_with = "whole")]
    #[schema(maximum = 9007199254740991i64)]
    pub max_table_elements: Option<u64>,
    /// Maximum core instances of a run.
    #[serde(default, deserialize_with = "whole")]
    #[schema(minimum = 1, maximum = 9007199254740991i64)]
    pub max_instances: Option<u64>,
    /// Maximum wall clock of a run.
    #[serde(default, deserialize_with = "whole")]
    #[schema(minimum = 1, maximum = 9007199254740991i64)]
    pub wall_clock_timeout_ms: Option<u64>,
    /// Hosts that runs can contact, for example `api.example.com`.
    #[serde(default)]
    pub allowed_http_hosts: Option<Vec<String>>,
    /// Secrets that runs can use, for example `global/token`.
    #[serde(default)]
    pub allowed_secrets: Option<Vec<String>>,
    /// Storage prefixes that runs can use, for example `notes/`.
    #[serde(default)]
    pub allowed_storage_prefixes: Option<Vec<String>>,
    /// Channels that runs can publish to.
    #[serde(default)]
    pub allowed_channels: Option<Vec<String>>,
}

impl Default for RunnerPolicy {
    fn default() -> Self {
        Self {
            enabled: true,
            allow_inline_modules: false,
            max_module_bytes: None,
            fuel_budget: None,
            max_memory_bytes: None,
            max_table_elements: None,
            max_instances: None,
            wall_clock_timeout_ms: None,
            allowed_http_hosts: None,
            allowed_secrets: None,
            allowed_storage_prefixes: None,
            allowed_channels: None,
        }
    }
}

fn yes() -> bool {
    true
}
