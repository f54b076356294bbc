//! Determines which configuration refused a capability or a limit.

use palyra_common::{
    Denial, LimitKind, PluginCapabilityProfile, RuntimeLimits, WasmPluginRunError, WasmPluginRunnerPolicy,
};
use palyra_state::View;
use palyra_state::runs::{INLINE, Refusal, RefusedBy};

use crate::grants::GrantAuthority;

/// The configuration that sets the limits of a run.
pub struct LimitPlaces<'a> {
    /// Limits of the caller.
    pub of_call: Option<&'a RuntimeLimits>,
    /// Profile of the skill.
    pub profile: Option<&'a PluginCapabilityProfile>,
    /// Runner policy, which applies to every run.
    pub policy: &'a WasmPluginRunnerPolicy,
}

impl LimitPlaces<'_> {
    /// Returns which configuration sets a limit to this value.
    pub fn of(&self, limit: LimitKind, allowed: u64) -> RefusedBy {
        let named = |limits: &RuntimeLimits| limits.get(limit) == Some(allowed);
        let of_policy =
            || policy_limits(self.policy).iter().any(|(_, kind, most)| (*kind, *most) == (limit, allowed));
        match () {
            () if !LimitKind::SETTABLE.contains(&limit) => RefusedBy::Sandbox,
            () if self.of_call.is_some_and(named) => RefusedBy::Call,
            () if self.profile.is_some_and(|profile| profile.limits.get(&limit) == Some(&allowed)) => {
                RefusedBy::Profile
            }
            () if of_policy() => RefusedBy::RunnerPolicy,
            () => RefusedBy::Manifest,
        }
    }
}

/// Returns the limits of the runner policy by the name of their setting.
pub fn policy_limits(policy: &WasmPluginRunnerPolicy) -> [(&'static str, LimitKind, u64); 5] {
    [
        ("fuel_budget", LimitKind::Fuel, policy.fuel_budget),
        ("max_memory_bytes", LimitKind::Memory, policy.max_memory_bytes),
        ("max_table_elements", LimitKind::Tables, policy.max_table_elements),
        ("max_instances", LimitKind::Instances, policy.max_instances),
        ("wall_clock_timeout_ms", LimitKind::Timeout, policy.wall_clock_timeout_ms),
    ]
}

/// Converts a denied capability to the form stored with the run.
pub(crate) fn denied(denial: &Denial, by: Option<GrantAuthority>) -> Refusal {
    let by = match by {
        // Only an operator can open private addresses; a manifest cannot request them.
        None if denial.grant.as_ref().is_some_and(|grant| grant.starts_with("address:")) => {
            RefusedBy::Profile
        }
        // The restriction of a tool is part of the manifest.
        Some(GrantAuthority::Manifest | GrantAuthority::Tool) | None => RefusedBy::Manifest,
        Some(GrantAuthority::Consent) => RefusedBy::Consent,
        Some(GrantAuthority::Profile) => RefusedBy::Profile,
        Some(GrantAuthority::Policy) => RefusedBy::RunnerPolicy,
    };
    Refusal { what: denial.kind.wire_name().to_owned(), target: denial.subject.clone(), by }
}

/// Converts an exceeded limit to the form stored with the run; returns `None` for other errors.
pub(crate) fn over_limit(
    error: &WasmPluginRunError,
    view: &View,
    skill_id: &str,
    of_call: Option<&RuntimeLimits>,
) -> Option<Refusal> {
    let (limit, allowed) = match error {
        WasmPluginRunError::QuotaExceeded { limit, allowed, .. } => (*limit, *allowed),
        WasmPluginRunError::TimedOut { limit_ms } => (LimitKind::Timeout, *limit_ms),
        _ => return None,
    };
    let settings = view.plugins();
    let profile = settings.profiles.get(skill_id).map(|profile| &profile.value);
    let by = LimitPlaces { of_call, profile, policy: &settings.policy.value }.of(limit, allowed);
    // An inline module has no manifest.
    let by = if skill_id == INLINE && by == RefusedBy::Manifest { RefusedBy::Sandbox } else { by };
    Some(Refusal { what: limit.wire_name().to_owned(), target: limit.format_value(allowed), by })
}
