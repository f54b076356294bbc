//! Plugins: the grants of their runs with reasons, and the settings of operators.

mod check;
mod profile;
mod runner_policy;
mod shrink;

pub(crate) use check::check;
pub(crate) use profile::{change_profile, profile};
pub(crate) use runner_policy::{read_runner_policy, show_runner_policy};
pub(crate) use shrink::{apply_shrink, plan_shrink};

use palyra_api::Problem;
use palyra_api::plugins::{
    BlastRadius, Config, ConfigSource, PluginGrants, PluginInfo, PluginSummary, ToolGrants,
};
use palyra_runner::{EffectiveGrants, declared_versus_used, effective_grants, effective_grants_of_tool};
use palyra_skills::manifest::ToolEntrypoint;
use palyra_skills::{SkillRecord, narrowed_grants_of_tool};
use palyra_state::State;

use crate::problem::{ToProblem, not_found};
use crate::to_api::ToApi;

/// Returns every plugin by skill id.
pub(crate) fn list(state: &State) -> Result<Vec<PluginSummary>, Problem> {
    let view = state.view();
    view.index().iter().map(|record| summary(state, record)).collect()
}

/// Returns one plugin with declared and used capabilities, profile and settings.
pub(crate) fn info(state: &State, skill_id: &str) -> Result<PluginInfo, Problem> {
    let record = installed(state, skill_id)?;
    let used = declared_versus_used(state, skill_id).map_err(|error| error.to_problem())?;
    Ok(PluginInfo {
        summary: summary(state, &record)?,
        declared: used.declared.to_api(),
        undeclared: used.undeclared.to_api(),
        profile_set: state.settings().profile(skill_id).map(|set| profile::to_api(skill_id, &set)),
        config: config(state, skill_id)?,
    })
}

/// Returns the grants in effect, with the verdict of each authority.
pub(crate) fn grants(state: &State, skill_id: &str) -> Result<PluginGrants, Problem> {
    let record = installed(state, skill_id)?;
    let effective = effective_grants(state, skill_id).map_err(|error| error.to_problem())?;
    Ok(PluginGrants {
        tools: narrowed_tools(state, &record)?,
        skill_id: skill_id.to_owned(),
        grants: effective.grants.to_api(),
        allow_addresses: effective.allow_addresses.iter().map(ToString::to_string).collect(),
        derivations: effective.derivations.to_api(),
    })
}

/// Returns the tools with fewer grants than their skill, by id.
fn narrowed_tools(state: &State, record: &SkillRecord) -> Result<Vec<ToolGrants>, Problem> {
    let manifest = &record.current.manifest;
    let narrowed = record.current.tools().filter(|tool| narrowed_grants_of_tool(manifest, tool).is_some());
    let grants = |tool: &ToolEntrypoint| {
        let effective = effective_grants_of_tool(state, &record.skill_id, &tool.id);
        let grants = effective.map_err(|error| error.to_problem())?.grants.to_api();
        Ok(ToolGrants { tool_id: tool.id.clone(), grants })
    };
    let mut tools = narrowed.map(grants).collect::<Result<Vec<_>, Problem>>()?;
    tools.sort_by(|one, other| one.tool_id.cmp(&other.tool_id));
    Ok(tools)
}

/// Returns the settings of a plugin.
pub(crate) fn config(state: &State, skill_id: &str) -> Result<Config, Problem> {
    installed(state, skill_id)?;
    Ok(state.settings().plugin_config(skill_id).map_err(|error| error.to_problem())?.to_api())
}

/// Returns every resource a skill touched, also of a removed skill.
pub(crate) fn touched(state: &State, skill_id: &str) -> Result<BlastRadius, Problem> {
    let radius = state.runs().blast_radius(skill_id).map_err(|error| error.to_problem())?;
    if radius.runs.is_empty() {
        installed(state, skill_id)?;
    }
    Ok(radius)
}

/// Returns the record of a skill, or a problem with the names that exist.
pub(crate) fn installed(state: &State, skill_id: &str) -> Result<SkillRecord, Problem> {
    let view = state.view();
    view.index().get(skill_id).cloned().ok_or_else(|| {
        let known = view.index().iter().map(|record| record.skill_id.clone()).collect();
        not_found("skill", skill_id, known)
    })
}

fn summary(state: &State, record: &SkillRecord) -> Result<PluginSummary, Problem> {
    let id = &record.skill_id;
    let EffectiveGrants { grants, derivations, .. } =
        effective_grants(state, id).map_err(|error| error.to_problem())?;
    let narrowed = derivations.iter().filter(|one| one.refusal().is_some()).count();
    let missing = config(state, id)?.fields.into_iter();
    let missing = missing.filter(|field| field.required && field.source == ConfigSource::Missing);
    Ok(PluginSummary {
        skill_id: id.clone(),
        version: record.current.manifest.version.to_string(),
        status: record.status_and_eligibility(state.platform()).0.to_api(),
        granted: grants.to_api(),
        narrowed: narrowed as u64,
        profile: state.settings().profile(id).is_some(),
        missing_settings: missing.map(|field| field.name).collect(),
    })
}
