//! Grants, settings and reports of plugins.

use palyra_api::bounds::MAX_WHOLE;
use palyra_api::plugins as api;
use palyra_api::runner_policy::RunnerPolicy;
use palyra_common::WasmPluginRunnerPolicy;
use palyra_runner::GrantDerivation;
use palyra_skills::grants::describe_grant;
use palyra_skills::manifest::ConfigFieldKind;
use palyra_state::{ShownConfig, ShownField};

use super::ToApi;

convert_fields! {
    ShownConfig => api::Config { skill_id, revision, fields }
}

convert_variants! {
    ConfigFieldKind => api::ConfigFieldKind { String, Integer, Number, Boolean, Secret }
}

impl ToApi for GrantDerivation {
    type Api = api::GrantDerivation;

    fn to_api(&self) -> api::GrantDerivation {
        let Self { asked, steps, given } = self;
        api::GrantDerivation {
            asked: asked.to_api(),
            text: describe_grant(asked).text,
            steps: steps.to_api(),
            given: given.to_api(),
        }
    }
}

impl ToApi for ShownField {
    type Api = api::ConfigField;

    fn to_api(&self) -> api::ConfigField {
        let Self { name, kind, description, required, value, redacted, source } = self;
        api::ConfigField {
            name: name.clone(),
            kind: kind.to_api(),
            description: description.clone(),
            required: *required,
            value: value.clone(),
            redacted: *redacted,
            source: source.to_api(),
        }
    }
}

impl ToApi for WasmPluginRunnerPolicy {
    type Api = RunnerPolicy;

    fn to_api(&self) -> RunnerPolicy {
        let Self {
            enabled,
            allow_inline_modules,
            max_module_bytes,
            fuel_budget,
            max_memory_bytes,
            max_table_elements,
            max_instances,
            wall_clock_timeout_ms,
            allowed_http_hosts,
            allowed_secrets,
            allowed_storage_prefixes,
            allowed_channels,
        } = self;
        RunnerPolicy {
            enabled: *enabled,
            allow_inline_modules: *allow_inline_modules,
            max_module_bytes: ceiling(*max_module_bytes),
            fuel_budget: ceiling(*fuel_budget),
            max_memory_bytes: ceiling(*max_memory_bytes),
            max_table_elements: ceiling(*max_table_elements),
            max_instances: ceiling(*max_instances),
            wall_clock_timeout_ms: ceiling(*wall_clock_timeout_ms),
            allowed_http_hosts: texts(allowed_http_hosts.as_deref()),
            allowed_secrets: texts(allowed_secrets.as_deref()),
            allowed_storage_prefixes: texts(allowed_storage_prefixes.as_deref()),
            allowed_channels: texts(allowed_channels.as_deref()),
        }
    }
}

/// Omits a ceiling above the integers that every JSON reader represents exactly: no operator set it.
fn ceiling(value: u64) -> Option<u64> {
    Some(value).filter(|value| *value <= MAX_WHOLE)
}

fn texts<T: ToString>(names: Option<&[T]>) -> Option<Vec<String>> {
    names.map(|names| names.iter().map(T::to_string).collect())
}
