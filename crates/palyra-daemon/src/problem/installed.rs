//! Hints for a failed call of an installed tool.
//!
//! They depend on what refused the call: consent, the profile, the runner policy, a limit of the call, or the release
//! itself. `--grant` of a call adds nothing to the requests of a manifest.

use palyra_common::{
    CapabilityGrantSet, CapabilityKind, Denial, LimitKind, PluginCapabilityProfile, RuntimeLimits,
    WasmPluginRunError, WasmPluginRunnerPolicy,
};
use palyra_runner::{CallError, LimitPlaces, policy_limits};
use palyra_skills::SkillRecord;
use palyra_skills::capability_grants_from_manifest;
use palyra_state::State;
use palyra_state::runs::RefusedBy;

/// Prefix of the remedy for a grant that the manifest already requests.
const ASKED_FOR: &str = "the manifest requests this already; ";

/// The configuration that can refuse a call of an installed tool.
struct Place {
    record: SkillRecord,
    profile: PluginCapabilityProfile,
    policy: WasmPluginRunnerPolicy,
}

/// Returns the hints for a call of this tool, or `None` if those of the error apply.
pub(crate) fn hints(
    state: &State,
    tool: &str,
    error: &CallError,
    limits_of_call: Option<&RuntimeLimits>,
) -> Option<Vec<String>> {
    let error = match error {
        CallError::Run(error) => error,
        CallError::Failed(run) => &run.error,
        _ => return None,
    };
    let view = state.view();
    let id = view.aliases().get(tool).map_or(tool, String::as_str);
    let record = view.skill_of_tool(id)?.clone();
    let profile = state.settings().profile(&record.skill_id).unwrap_or_default().value;
    let place = Place { record, profile, policy: state.settings().runner_policy().value };
    match error {
        WasmPluginRunError::CapabilityDenied(denial) => place.denied(denial),
        WasmPluginRunError::QuotaExceeded { limit, allowed, used } => {
            place.over_limit(*limit, *allowed, *used, limits_of_call)
        }
        WasmPluginRunError::TimedOut { limit_ms } => {
            place.over_limit(LimitKind::Timeout, *limit_ms, *limit_ms, limits_of_call)
        }
        _ => None,
    }
}

impl Place {
    fn denied(&self, denial: &Denial) -> Option<Vec<String>> {
        let id = &self.record.skill_id;
        if let Some(remedy) = denial.manifest.as_deref().and_then(|text| text.strip_prefix(ASKED_FOR)) {
            return Some(vec![self.remedy(denial, remedy)]);
        }
        let Some(grant) = denial.grant.as_deref() else {
            return Some(vec![format!(
                "no setting can allow it: `{id}` used a handle that it was never given; install a release without this fault"
            )]);
        };
        // The operator opens directories and addresses, for one call or for every call.
        if grant.starts_with("address:") || (grant.starts_with("fs-") && grant.contains('=')) {
            return Some(vec![
                format!("allow it for one call with `--grant '{grant}'`"),
                format!("allow it for every call with `palyra plugins profile set {id} --grant '{grant}'`"),
            ]);
        }
        let change = denial.manifest.clone().unwrap_or_else(|| format!("request `{grant}`"));
        Some(vec![format!(
            "no setting can allow it: the manifest of `{id}` does not request it; install a release whose skill.toml does: \
            {change}"
        )])
    }

    /// Returns the command that changes the authority which refused a requested grant.
    fn remedy(&self, denial: &Denial, remedy: &str) -> String {
        if remedy.starts_with("palyra skills consent") && denial.kind == CapabilityKind::Secret {
            let name = self.secret(&denial.subject);
            return format!("grant the secret with `{remedy} --allow-secret {name}`");
        }
        if remedy.starts_with("install ") {
            return format!("no setting can allow it: {remedy}");
        }
        if remedy.starts_with("palyra ") {
            return format!("run `{remedy}`");
        }
        self.in_policy(denial).map_or_else(
            || remedy.to_owned(),
            |setting| format!("allow it in every run with `palyra runner-policy set '{setting}'`"),
        )
    }

    /// Returns the list of the runner policy extended by the refused grant.
    fn in_policy(&self, denial: &Denial) -> Option<String> {
        let asked: CapabilityGrantSet = capability_grants_from_manifest(&self.record.current.manifest);
        let policy = &self.policy;
        let (list, kept, added) = match denial.kind {
            CapabilityKind::Http => (
                "allowed_http_hosts",
                texts(policy.allowed_http_hosts.as_deref()),
                texts(Some(&asked.http().iter().map(|rule| &rule.host).collect::<Vec<_>>())),
            ),
            CapabilityKind::Secret => (
                "allowed_secrets",
                texts(policy.allowed_secrets.as_deref()),
                vec![self.secret(&denial.subject)],
            ),
            CapabilityKind::Storage => (
                "allowed_storage_prefixes",
                texts(policy.allowed_storage_prefixes.as_deref()),
                texts(Some(&asked.storage().iter().map(|grant| &grant.prefix).collect::<Vec<_>>())),
            ),
            CapabilityKind::Channel => {
                ("allowed_channels", texts(policy.allowed_channels.as_deref()), vec![denial.subject.clone()])
            }
            CapabilityKind::Filesystem => return None,
        };
        let mut all: Vec<String> = kept.into_iter().chain(added).collect();
        all.sort();
        all.dedup();
        Some(format!("{list}={}", all.join(",")))
    }

    /// Returns a secret as grants name it; a guest may use its key alone.
    fn secret(&self, subject: &str) -> String {
        let asked = capability_grants_from_manifest(&self.record.current.manifest);
        let mut secrets = asked.secrets().iter().map(|grant| &grant.secret);
        let named = secrets.find(|secret| secret.key == subject || secret.to_string() == subject);
        named.map_or_else(|| subject.to_owned(), ToString::to_string)
    }

    fn over_limit(
        &self,
        limit: LimitKind,
        allowed: u64,
        used: u64,
        limits_of_call: Option<&RuntimeLimits>,
    ) -> Option<Vec<String>> {
        let id = &self.record.skill_id;
        let wanted = used.max(1).saturating_mul(2);
        let flag = format!("{limit}={}", limit.format_value(wanted));
        let places =
            LimitPlaces { of_call: limits_of_call, profile: Some(&self.profile), policy: &self.policy };
        Some(vec![match places.of(limit, allowed) {
            RefusedBy::Call => format!(
                "allow more in this call with `--limit {flag}` (`limits` of a request), or leave the limit out"
            ),
            RefusedBy::Profile => format!("allow more with `palyra plugins profile set {id} --limit {flag}`"),
            RefusedBy::RunnerPolicy => {
                let limits = policy_limits(&self.policy);
                let (setting, ..) = limits.into_iter().find(|(_, kind, _)| *kind == limit)?;
                format!("allow more with `palyra runner-policy set {setting}={wanted}`")
            }
            RefusedBy::Manifest | RefusedBy::Consent => format!(
                "no setting can allow more: the manifest of `{id}` allows {allowed}; install a release with a larger \
                 `{}` under `[capabilities.quotas]`",
                quota_key(limit)
            ),
            RefusedBy::Sandbox => return None,
        }])
    }
}

/// Returns the name of a limit in a manifest.
fn quota_key(limit: LimitKind) -> &'static str {
    match limit {
        LimitKind::Fuel => "fuel_budget",
        LimitKind::Memory => "max_memory_bytes",
        LimitKind::Tables => "max_table_elements",
        LimitKind::Instances => "max_instances",
        LimitKind::Timeout => "wall_clock_timeout_ms",
        LimitKind::Input => "max_input_bytes",
        LimitKind::Output => "max_output_bytes",
        LimitKind::Log => "max_log_bytes",
        LimitKind::HostCalls => "max_host_calls",
        LimitKind::Egress => "max_egress_bytes",
        LimitKind::Tape => "max_tape_bytes",
        other => other.wire_name(),
    }
}

fn texts<T: ToString>(list: Option<&[T]>) -> Vec<String> {
    list.unwrap_or_default().iter().map(ToString::to_string).collect()
}
