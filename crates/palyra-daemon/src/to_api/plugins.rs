//! Grants, settings and reports of plugins.

use palyra_api::bounds::MAX_WHOLE;
use palyra_api::plugins as api;
use palyra_api::runner_policy::RunnerPolicy;
use palyra_common::WasmPluginRunnerPolicy;
use palyra_runner::{DeclaredCapability, GrantAuthority, GrantDerivation, GrantStep, GrantVerdict};
use palyra_skills::manifest::ConfigFieldKind;
use palyra_state::{BlastRadius, ConfigSource, ShownConfig, ShownField, Touch};

use super::ToApi;

convert_fields! {
    GrantDerivation => api::GrantDerivation { asked, steps, given }
    GrantStep => api::GrantStep { by, verdict, reason, remedy }
    DeclaredCapability => api::DeclaredDoor { capability, used, denied, last_run }
    BlastRadius => api::BlastRadius {
        skill_id, hosts, file_roots, secrets, key_prefixes, channels, totals, runs, older_runs, more,
    }
    Touch => api::Touch { subject, uses, first_run, last_run }
    ShownConfig => api::Config { skill_id, revision, fields }
}

convert_variants! {
    GrantAuthority => api::GrantAuthority { Manifest, Tool, Consent, Profile, Policy }
    GrantVerdict => api::GrantVerdict { Granted, Narrowed, Refused }
    ConfigFieldKind => api::ConfigFieldKind { String, Integer, Number, Boolean, Secret }
    ConfigSource => api::ConfigSource { Operator, Default, Missing }
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
