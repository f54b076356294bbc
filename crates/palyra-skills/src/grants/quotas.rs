//! Quotas of a manifest as limits of a run.

use palyra_common::{LimitKind, RuntimeLimits};

use crate::manifest::SkillManifest;

const QUOTAS: [(&str, LimitKind); 11] = [
    ("fuel_budget", LimitKind::Fuel),
    ("max_memory_bytes", LimitKind::Memory),
    ("max_table_elements", LimitKind::Tables),
    ("max_instances", LimitKind::Instances),
    ("wall_clock_timeout_ms", LimitKind::Timeout),
    ("max_input_bytes", LimitKind::Input),
    ("max_output_bytes", LimitKind::Output),
    ("max_log_bytes", LimitKind::Log),
    ("max_host_calls", LimitKind::HostCalls),
    ("max_egress_bytes", LimitKind::Egress),
    ("max_tape_bytes", LimitKind::Tape),
];

/// Returns the limits a skill requests, with the contract's defaults for those it does not mention.
///
/// The operator's ceiling is applied when a call is started.
#[must_use]
pub fn limits_from_manifest(manifest: &SkillManifest) -> RuntimeLimits {
    let mut limits = RuntimeLimits::default();
    for (name, value) in &manifest.capabilities.quotas.0 {
        let Some(kind) = quota_field(name) else { continue };
        let field = match kind {
            LimitKind::Fuel => &mut limits.fuel_budget,
            LimitKind::Memory => &mut limits.max_memory_bytes,
            LimitKind::Tables => &mut limits.max_table_elements,
            LimitKind::Instances => &mut limits.max_instances,
            LimitKind::Timeout => &mut limits.wall_clock_timeout_ms,
            LimitKind::Input => &mut limits.max_input_bytes,
            LimitKind::Output => &mut limits.max_output_bytes,
            LimitKind::Log => &mut limits.max_log_bytes,
            LimitKind::HostCalls => &mut limits.max_host_calls,
            LimitKind::Egress => &mut limits.max_egress_bytes,
            LimitKind::Tape => &mut limits.max_tape_bytes,
            _ => continue,
        };
        *field = *value;
    }
    limits
}

/// Returns the limit that a key of `[capabilities.quotas]` sets.
pub(crate) fn quota_field(name: &str) -> Option<LimitKind> {
    QUOTAS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
}

/// Returns the keys of `[capabilities.quotas]`.
pub(crate) fn quota_names() -> Vec<String> {
    QUOTAS.iter().map(|(name, _)| (*name).to_owned()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_the_limits_of_a_run_by_the_same_names() {
        let limits = serde_json::to_value(RuntimeLimits::default()).unwrap();
        let mut names: Vec<&String> = limits.as_object().unwrap().keys().collect();
        let mut quotas = quota_names();
        names.sort();
        quotas.sort();
        assert_eq!(names, quotas.iter().collect::<Vec<_>>());
    }
}
