//! The runner's policy in the words of the API.

use std::fmt::Display;
use std::str::FromStr;

use palyra_api::bounds::MAX_WHOLE;
use palyra_api::runner_policy::{RunnerPolicy, RunnerPolicyShown};
use palyra_common::redact::escape_untrusted;
use palyra_common::{BadSetting, WasmPluginRunnerPolicy};
use palyra_state::State;

/// The policy in force.
pub(crate) fn told_runner_policy(state: &State) -> RunnerPolicyShown {
    let kept = state.runner_policy();
    let default = kept.value == WasmPluginRunnerPolicy::default();
    RunnerPolicyShown { default, revision: kept.revision, policy: told(&kept.value) }
}

/// A policy as it is kept; a name that is none is refused with its field.
pub(crate) fn read_runner_policy(asked: RunnerPolicy) -> Result<WasmPluginRunnerPolicy, BadSetting> {
    let default = WasmPluginRunnerPolicy::default();
    Ok(WasmPluginRunnerPolicy {
        enabled: asked.enabled,
        allow_inline_modules: asked.allow_inline_modules,
        max_module_bytes: asked.max_module_bytes.unwrap_or(default.max_module_bytes),
        fuel_budget: asked.fuel_budget.unwrap_or(default.fuel_budget),
        max_memory_bytes: asked.max_memory_bytes.unwrap_or(default.max_memory_bytes),
        max_table_elements: asked.max_table_elements.unwrap_or(default.max_table_elements),
        max_instances: asked.max_instances.unwrap_or(default.max_instances),
        wall_clock_timeout_ms: asked.wall_clock_timeout_ms.unwrap_or(default.wall_clock_timeout_ms),
        allowed_http_hosts: names("allowed_http_hosts", asked.allowed_http_hosts)?,
        allowed_secrets: names("allowed_secrets", asked.allowed_secrets)?,
        allowed_storage_prefixes: names("allowed_storage_prefixes", asked.allowed_storage_prefixes)?,
        allowed_channels: names("allowed_channels", asked.allowed_channels)?,
    })
}

fn told(policy: &WasmPluginRunnerPolicy) -> RunnerPolicy {
    // A ceiling no reader of JSON gets right is none that anybody set.
    let ceiling = |value: u64| Some(value).filter(|value| *value <= MAX_WHOLE);
    RunnerPolicy {
        enabled: policy.enabled,
        allow_inline_modules: policy.allow_inline_modules,
        max_module_bytes: ceiling(policy.max_module_bytes),
        fuel_budget: ceiling(policy.fuel_budget),
        max_memory_bytes: ceiling(policy.max_memory_bytes),
        max_table_elements: ceiling(policy.max_table_elements),
        max_instances: ceiling(policy.max_instances),
        wall_clock_timeout_ms: ceiling(policy.wall_clock_timeout_ms),
        allowed_http_hosts: policy.allowed_http_hosts.as_deref().map(texts),
        allowed_secrets: policy.allowed_secrets.as_deref().map(texts),
        allowed_storage_prefixes: policy.allowed_storage_prefixes.as_deref().map(texts),
        allowed_channels: policy.allowed_channels.as_deref().map(texts),
    }
}

fn texts<T: ToString>(names: &[T]) -> Vec<String> {
    names.iter().map(T::to_string).collect()
}

fn names<T: FromStr<Err: Display>>(
    field: &str,
    texts: Option<Vec<String>>,
) -> Result<Option<Vec<T>>, BadSetting> {
    let one = |text: String| {
        text.parse().map_err(|error: T::Err| {
            // Whoever mistakes the value of a secret for its name must not read it again in an error.
            if field == "allowed_secrets" {
                return BadSetting::new(field, "no name of a secret", "names as SCOPE/KEY");
            }
            let found = format!("`{}`", escape_untrusted(&text.chars().take(100).collect::<String>()));
            BadSetting::new(field, found, format!("names: {error}"))
        })
    };
    texts.map(|texts| texts.into_iter().map(one).collect()).transpose()
}
