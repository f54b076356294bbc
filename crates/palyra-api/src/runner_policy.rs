//! What every run is under, whatever a skill asks for and somebody agreed to.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::bounds::whole;

/// The answer of `GET`, `PUT` and `DELETE /v1/runner-policy`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunnerPolicyShown {
    /// Whether it is the policy every state root begins with.
    pub default: bool,
    /// Another one for every policy that is set; 0 for the default.
    pub revision: u64,
    /// What is in force.
    pub policy: RunnerPolicy,
}

/// The body of `PUT /v1/runner-policy`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunnerPolicyChange {
    /// The whole policy; what it leaves out has its default.
    pub policy: RunnerPolicy,
    /// The revision it was made from: where another one is in force by now, nothing changes.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "whole")]
    #[schema(maximum = 9007199254740991i64)]
    pub revision: Option<u64>,
}

/// What runs may do at most. Numbers are ceilings; a list narrows: none narrows nothing, an empty one leaves nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RunnerPolicy {
    /// Whether anything runs at all.
    #[serde(default = "yes")]
    pub enabled: bool,
    /// Whether a module that is no installed skill may come with a call.
    #[serde(default)]
    pub allow_inline_modules: bool,
    /// Largest module that runs.
    #[serde(default, deserialize_with = "whole")]
    #[schema(minimum = 1, maximum = 100663296)]
    pub max_module_bytes: Option<u64>,
    /// Most fuel of a run; none is as much as the sandbox gives.
    #[serde(default, deserialize_with = "whole")]
    #[schema(minimum = 1, maximum = 9007199254740991i64)]
    pub fuel_budget: Option<u64>,
    /// Most memory of a run.
    #[serde(default, deserialize_with = "whole")]
    #[schema(minimum = 1, maximum = 9007199254740991i64)]
    pub max_memory_bytes: Option<u64>,
    /// Most table elements of a run.
    #[serde(default, deserialize_with = "whole")]
    #[schema(maximum = 9007199254740991i64)]
    pub max_table_elements: Option<u64>,
    /// Most core instances of a run.
    #[serde(default, deserialize_with = "whole")]
    #[schema(minimum = 1, maximum = 9007199254740991i64)]
    pub max_instances: Option<u64>,
    /// Most wall clock of a run.
    #[serde(default, deserialize_with = "whole")]
    #[schema(minimum = 1, maximum = 9007199254740991i64)]
    pub wall_clock_timeout_ms: Option<u64>,
    /// Hosts that may be reached, as in `api.example.com`.
    #[serde(default)]
    pub allowed_http_hosts: Option<Vec<String>>,
    /// Secrets that may be used, as in `global/token`.
    #[serde(default)]
    pub allowed_secrets: Option<Vec<String>>,
    /// Prefixes that may be kept under, as in `notes/`.
    #[serde(default)]
    pub allowed_storage_prefixes: Option<Vec<String>>,
    /// Channels that may be published to.
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
