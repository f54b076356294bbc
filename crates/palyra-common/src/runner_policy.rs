//! The operator's limits of every run, independent of manifest and consent.

use crate::capabilities::{ChannelName, HostPattern, HttpRule, SecretRef, StorageGrant, StoragePrefix};
use crate::limits::{LimitKind, MAX_MODULE_BYTES, RuntimeLimits};
use crate::{Capability, CapabilityGrantSet};
use serde::{Deserialize, Serialize};

/// The operator's policy for every run.
///
/// Limits are upper bounds. A list restricts: `None` restricts nothing, an empty list permits nothing. The default
/// runs installed skills and no inline modules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct WasmPluginRunnerPolicy {
    /// Whether runs are enabled.
    pub enabled: bool,
    /// Whether a call can contain a module that is not an installed skill.
    pub allow_inline_modules: bool,
    /// Maximum size of a module, in bytes.
    pub max_module_bytes: u64,
    /// Maximum fuel of a run.
    pub fuel_budget: u64,
    /// Maximum memory of a run, in bytes.
    pub max_memory_bytes: u64,
    /// Maximum table elements of a run.
    pub max_table_elements: u64,
    /// Maximum core instances of a run.
    pub max_instances: u64,
    /// Maximum wall-clock time of a run, in milliseconds.
    pub wall_clock_timeout_ms: u64,
    /// Hosts that runs can reach.
    pub allowed_http_hosts: Option<Vec<HostPattern>>,
    /// Secrets that runs can use.
    pub allowed_secrets: Option<Vec<SecretRef>>,
    /// Storage prefixes that runs can read and write.
    pub allowed_storage_prefixes: Option<Vec<StoragePrefix>>,
    /// Channels that runs can publish to.
    pub allowed_channels: Option<Vec<ChannelName>>,
}

impl Default for WasmPluginRunnerPolicy {
    fn default() -> Self {
        Self {
            enabled: true,
            allow_inline_modules: false,
            max_module_bytes: MAX_MODULE_BYTES,
            fuel_budget: u64::MAX >> 1,
            max_memory_bytes: 512 << 20,
            max_table_elements: 1_000_000,
            max_instances: 1_024,
            wall_clock_timeout_ms: 600_000,
            allowed_http_hosts: None,
            allowed_secrets: None,
            allowed_storage_prefixes: None,
            allowed_channels: None,
        }
    }
}

/// The reason why a policy or profile is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` is {found}, expected {expected}")]
pub struct BadSetting {
    /// The name of the field, such as `limits.fuel`.
    pub field: String,
    /// A description of the invalid value.
    pub found: String,
    /// A description of valid values.
    pub expected: String,
}

impl BadSetting {
    /// Creates the error for a field.
    pub fn new(field: impl Into<String>, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { field: field.into(), found: found.into(), expected: expected.into() }
    }
}

impl WasmPluginRunnerPolicy {
    /// Checks that limits are positive where required, and that the module size does not exceed [`MAX_MODULE_BYTES`].
    pub fn validate(&self) -> Result<(), BadSetting> {
        for (field, value) in [
            ("max_module_bytes", self.max_module_bytes),
            ("fuel_budget", self.fuel_budget),
            ("max_memory_bytes", self.max_memory_bytes),
            ("max_instances", self.max_instances),
            ("wall_clock_timeout_ms", self.wall_clock_timeout_ms),
        ] {
            if value == 0 {
                return Err(BadSetting::new(field, "0", "at least 1"));
            }
        }
        match self.max_module_bytes {
            bytes if bytes > MAX_MODULE_BYTES => {
                let expected = format!("at most {MAX_MODULE_BYTES}");
                Err(BadSetting::new("max_module_bytes", bytes.to_string(), expected))
            }
            _ => Ok(()),
        }
    }

    /// Returns the limits, each reduced to this policy's upper bound.
    #[must_use]
    pub fn cap(&self, limits: &RuntimeLimits) -> RuntimeLimits {
        [
            (LimitKind::Fuel, self.fuel_budget),
            (LimitKind::Memory, self.max_memory_bytes),
            (LimitKind::Tables, self.max_table_elements),
            (LimitKind::Instances, self.max_instances),
            (LimitKind::Timeout, self.wall_clock_timeout_ms),
        ]
        .into_iter()
        .fold(limits.clone(), |limits, (kind, most)| limits.capped_at(kind, most))
    }

    /// Returns the part of a set that this policy permits. Filesystem grants are not restricted here.
    #[must_use]
    pub fn narrow(&self, grants: &CapabilityGrantSet) -> CapabilityGrantSet {
        grants.intersect(&self.bound_of(grants))
    }

    /// Returns the largest set within the lists that has the schemes and ports of `grants`.
    fn bound_of(&self, grants: &CapabilityGrantSet) -> CapabilityGrantSet {
        let mut bound: Vec<Capability> =
            grants.filesystem().iter().cloned().map(Capability::Filesystem).collect();
        for rule in grants.http() {
            let within = |host: &HostPattern| HttpRule::any(rule.scheme, host.clone(), rule.port);
            match &self.allowed_http_hosts {
                Some(hosts) => bound.extend(hosts.iter().map(within).map(Capability::Http)),
                None => bound.push(Capability::Http(rule.clone())),
            }
        }
        let secret_allowed =
            |secret: &SecretRef| self.allowed_secrets.as_ref().is_none_or(|list| list.contains(secret));
        let secrets = grants.secrets().iter().filter(|grant| secret_allowed(&grant.secret)).cloned();
        bound.extend(secrets.map(Capability::Secret));
        match &self.allowed_storage_prefixes {
            Some(prefixes) => {
                bound.extend(prefixes.iter().cloned().map(StorageGrant::read_write).map(Capability::Storage))
            }
            None => bound.extend(grants.storage().iter().cloned().map(Capability::Storage)),
        }
        let channel_allowed =
            |name: &ChannelName| self.allowed_channels.as_ref().is_none_or(|list| list.contains(name));
        let channels = grants.channels().iter().filter(|name| channel_allowed(name)).cloned();
        bound.extend(channels.map(Capability::Channel));
        bound.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(lines: &[&str]) -> CapabilityGrantSet {
        lines.iter().map(|line| line.parse::<Capability>().unwrap()).collect()
    }

    #[test]
    fn lists_narrow_and_an_empty_one_leaves_nothing() {
        let asked = set(&[
            "http:GET https://*.example.com/items/*",
            "http:https://other.test:8443",
            "secret:global/a reveal",
            "secret:global/b reveal",
            "storage:cache/ bytes=10",
            "channel:alerts",
            "fs-read:docs",
        ]);
        assert_eq!(WasmPluginRunnerPolicy::default().narrow(&asked), asked);
        let some = WasmPluginRunnerPolicy {
            allowed_http_hosts: Some(vec!["api.example.com".parse().unwrap()]),
            allowed_secrets: Some(vec!["global/b".parse().unwrap()]),
            allowed_storage_prefixes: Some(vec!["cache/a/".parse().unwrap()]),
            allowed_channels: Some(vec![]),
            ..WasmPluginRunnerPolicy::default()
        };
        let left = some.narrow(&asked);
        assert_eq!(
            left,
            set(&[
                "http:GET https://api.example.com/items/*",
                "secret:global/b reveal",
                "storage:cache/a/ bytes=10",
                "fs-read:docs",
            ])
        );
        assert!(left.is_within(&asked));
    }

    #[test]
    fn limits_are_ceilings_and_nothing_runs_under_zero() {
        let policy = WasmPluginRunnerPolicy { fuel_budget: 7, ..WasmPluginRunnerPolicy::default() };
        let capped = policy.cap(&RuntimeLimits::default());
        assert_eq!((capped.fuel_budget, capped.max_memory_bytes), (7, 64 << 20));
        assert!(policy.validate().is_ok());
        assert!(WasmPluginRunnerPolicy { fuel_budget: 0, ..policy.clone() }.validate().is_err());
        let large = WasmPluginRunnerPolicy { max_module_bytes: MAX_MODULE_BYTES + 1, ..policy };
        assert_eq!(large.validate().unwrap_err().field, "max_module_bytes");
    }

    #[test]
    fn an_unknown_field_is_refused_and_a_missing_one_is_the_default() {
        let policy: WasmPluginRunnerPolicy = serde_json::from_str(r#"{"enabled":false}"#).unwrap();
        assert!(!policy.enabled && !policy.allow_inline_modules);
        assert!(serde_json::from_str::<WasmPluginRunnerPolicy>(r#"{"enabeld":false}"#).is_err());
    }
}
