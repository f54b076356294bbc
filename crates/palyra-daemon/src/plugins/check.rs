//! Checks whether a call of a plugin would begin now, and which grants it would lack.

use palyra_api::Problem;
use palyra_api::plugins::{PluginCheck, PluginFinding};
use palyra_common::WasmPluginRunError;
use palyra_runner::{CallError, EffectiveGrants, check_plugin_config, effective_grants};
use palyra_skills::{RuntimeStatus, SkillInventoryEntry};
use palyra_state::State;

use super::installed;
use crate::problem::ToProblem;

/// Checks everything that is decided before a call, without running anything.
pub(crate) fn check(state: &State, skill_id: &str) -> Result<PluginCheck, Problem> {
    let record = installed(state, skill_id)?;
    let mut findings = Vec::new();
    if SkillInventoryEntry::new(record, state.platform()).runtime_status != RuntimeStatus::Active {
        let info = state.skills().info(skill_id).map_err(|error| error.to_problem())?;
        findings.push(finding("status", true, info.why, info.would_change.into_iter().next()));
    }
    if !state.settings().runner_policy().value.enabled {
        findings.push(finding("policy", true, "the runner policy is disabled".into(), None));
    }
    match check_plugin_config(state, skill_id) {
        Ok(()) => {}
        Err(CallError::Run(WasmPluginRunError::NotRunnable { reason, remedy, .. })) => {
            findings.push(finding("setting", true, reason, Some(remedy)));
        }
        Err(error) => return Err(error.to_problem()),
    }
    let effective = effective_grants(state, skill_id).map_err(|error| error.to_problem())?;
    findings.extend(missing_directories(&effective));
    findings.extend(narrowed(effective));
    let runnable = !findings.iter().any(|finding| finding.stops);
    Ok(PluginCheck { skill_id: skill_id.to_owned(), runnable, findings })
}

/// Returns a finding for each requested grant that is refused or narrowed.
fn narrowed(effective: EffectiveGrants) -> impl Iterator<Item = PluginFinding> {
    effective.derivations.into_iter().filter_map(|one| {
        let step = one.refusal()?;
        let message = format!("`{}`: {}", one.asked, step.reason);
        Some(finding("grant", false, message, step.remedy.clone()))
    })
}

fn missing_directories(effective: &EffectiveGrants) -> Vec<PluginFinding> {
    let missing = effective.grants.filesystem().iter().filter_map(|grant| {
        let directory = grant.directory().filter(|directory| !directory.is_dir())?;
        let message =
            format!("`{}`, the directory of the root `{}`, does not exist", directory.display(), grant.root);
        Some(finding("directory", false, message, None))
    });
    missing.collect()
}

fn finding(about: &str, stops: bool, message: String, remedy: Option<String>) -> PluginFinding {
    PluginFinding { about: about.to_owned(), stops, message, remedy }
}
