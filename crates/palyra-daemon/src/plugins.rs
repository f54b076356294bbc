//! Plugins: what runs of a skill get and why, and what operators set.

mod check;
mod profile;
mod runner_policy;

pub(crate) use check::check;
pub(crate) use profile::{change_profile, profile};
pub(crate) use runner_policy::{read_runner_policy, told_runner_policy};

use palyra_api::Problem;
use palyra_api::plugins::{BlastRadius, Config, ConfigSource, PluginGrants, PluginInfo, PluginSummary};
use palyra_common::{Capability, CapabilityGrantSet};
use palyra_skills::SkillRecord;
use palyra_state::State;
use palyra_state::call::{EffectiveGrants, GrantDerivation};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::catalog;
use crate::problem::{ToProblem, not_found};

/// Every plugin, by skill.
pub(crate) fn list(state: &State) -> Result<Vec<PluginSummary>, Problem> {
    let view = state.view();
    view.index().iter().map(|record| summary(state, record)).collect()
}

/// One plugin: declared against used, its profile and its settings.
pub(crate) fn info(state: &State, skill_id: &str) -> Result<PluginInfo, Problem> {
    let record = installed(state, skill_id)?;
    let used = state.declared_versus_used(skill_id).map_err(|error| error.to_problem())?;
    Ok(PluginInfo {
        summary: summary(state, &record)?,
        declared: same(&used.declared)?,
        undeclared: same(&used.undeclared)?,
        profile_set: state.profile(skill_id).map(|set| profile::told(skill_id, &set)),
        config: config(state, skill_id)?,
    })
}

/// What runs get, and who said what.
pub(crate) fn grants(state: &State, skill_id: &str) -> Result<PluginGrants, Problem> {
    installed(state, skill_id)?;
    let effective = state.effective_grants(skill_id).map_err(|error| error.to_problem())?;
    Ok(PluginGrants {
        skill_id: skill_id.to_owned(),
        grants: lines(&effective.grants),
        allow_addresses: effective.allow_addresses.iter().map(ToString::to_string).collect(),
        derivations: effective.derivations.iter().map(derivation).collect::<Result<_, _>>()?,
    })
}

/// The settings of a plugin.
pub(crate) fn config(state: &State, skill_id: &str) -> Result<Config, Problem> {
    installed(state, skill_id)?;
    same(&state.plugin_config(skill_id).map_err(|error| error.to_problem())?)
}

/// Everything a skill ever touched, also one that is gone.
pub(crate) fn touched(state: &State, skill_id: &str) -> Result<BlastRadius, Problem> {
    let radius = state.blast_radius(skill_id).map_err(|error| error.to_problem())?;
    if radius.runs.is_empty() {
        installed(state, skill_id)?;
    }
    same(&radius)
}

/// The record of a skill, or the names of those there are.
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
        state.effective_grants(id).map_err(|error| error.to_problem())?;
    let narrowed = derivations.iter().filter(|one| one.refusal().is_some()).count();
    let missing = config(state, id)?.fields.into_iter();
    let missing = missing.filter(|field| field.required && field.source == ConfigSource::Missing);
    Ok(PluginSummary {
        skill_id: id.clone(),
        version: record.current.manifest.version.to_string(),
        status: catalog::status(record.status_and_eligibility(state.platform()).0),
        granted: lines(&grants),
        narrowed: narrowed as u64,
        profile: state.profile(id).is_some(),
        missing_settings: missing.map(|field| field.name).collect(),
    })
}

fn derivation(one: &GrantDerivation) -> Result<palyra_api::plugins::GrantDerivation, Problem> {
    Ok(palyra_api::plugins::GrantDerivation {
        asked: one.asked.to_string(),
        steps: same(&one.steps)?,
        given: lines(&one.given),
    })
}

/// Grants as `--grant` writes them.
fn lines(grants: &CapabilityGrantSet) -> Vec<String> {
    Vec::<Capability>::from(grants.clone()).iter().map(ToString::to_string).collect()
}

/// The same value as a shape of the API.
fn same<T: DeserializeOwned>(value: &impl Serialize) -> Result<T, Problem> {
    let made = serde_json::to_value(value).and_then(serde_json::from_value);
    made.map_err(|error| Problem::new("internal", format!("an answer has no shape of the API: {error}")))
}
