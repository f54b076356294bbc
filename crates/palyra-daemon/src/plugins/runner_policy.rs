//! Converts the runner policy to its API type, and requests to a policy.

use std::fmt::Display;
use std::str::FromStr;

use palyra_api::runner_policy::{RunnerPolicy, RunnerPolicyShown};
use palyra_common::text::clip_untrusted;
use palyra_common::{BadSetting, WasmPluginRunnerPolicy};
use palyra_state::State;

use crate::to_api::ToApi;

/// Returns the runner policy in effect.
pub(crate) fn show_runner_policy(state: &State) -> RunnerPolicyShown {
    let kept = state.settings().runner_policy();
    let default = kept.value == WasmPluginRunnerPolicy::default();
    RunnerPolicyShown { default, revision: kept.revision, policy: kept.value.to_api() }
}

/// Converts a policy to its stored form; an invalid name is rejected with its field.
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

fn names<T: FromStr<Err: Display>>(
    field: &str,
    texts: Option<Vec<String>>,
) -> Result<Option<Vec<T>>, BadSetting> {
    let one = |text: String| {
        text.parse().map_err(|error: T::Err| {
            // The text may be a secret value instead of a name, so it must not appear in an error.
            if field == "allowed_secrets" {
                return BadSetting::new(
                    field,
                    "an invalid secret \
                    reference",
                    "references of the form SCOPE/KEY",
                );
            }
            let found = format!("`{}`", clip_untrusted(&text, 100));
            BadSetting::new(field, found, format!("names: {error}"))
        })
    };
    texts.map(|texts| texts.into_iter().map(one).collect()).transpose()
}
