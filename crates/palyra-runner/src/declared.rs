//! Compares the capabilities a skill declares with those its runs used, and checks its settings.

pub use palyra_common::model::runs::DeclaredCapability;

use std::collections::BTreeMap;

use palyra_skills::capability_grants_from_manifest;
use palyra_state::{CapabilityTotal, SkillError, State, effective_config};
use serde::Serialize;

use super::CallError;
use super::grants::{EffectiveGrants, effective_grants};
use super::usage::declared;

/// Declared and used capabilities of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeclaredVersusUsed {
    /// Id of the skill.
    pub skill_id: String,
    /// Every capability of the manifest, used or not.
    pub declared: Vec<DeclaredCapability>,
    /// Capabilities that runs attempted to use without declaring them.
    pub undeclared: Vec<CapabilityTotal>,
    /// Grants in effect, with their derivations.
    pub grants: EffectiveGrants,
}

/// Compares the declared capabilities of an installed skill with those its runs used.
pub fn declared_versus_used(state: &State, skill_id: &str) -> Result<DeclaredVersusUsed, SkillError> {
    let record = state.skills().record(skill_id)?;
    let grants = effective_grants(state, skill_id)?;
    let used = state.runs().capability_totals(skill_id)?;
    let mut used: BTreeMap<String, CapabilityTotal> =
        used.into_iter().map(|total| (total.capability.clone(), total)).collect();
    let with_use = |capability: String| match used.remove(&capability) {
        Some(total) => DeclaredCapability {
            capability,
            used: total.used,
            denied: total.denied,
            last_run: Some(total.last_run),
        },
        None => DeclaredCapability { capability, used: 0, denied: 0, last_run: None },
    };
    let declared =
        declared(&capability_grants_from_manifest(&record.current.manifest)).map(with_use).collect();
    Ok(DeclaredVersusUsed {
        skill_id: skill_id.to_owned(),
        declared,
        undeclared: used.into_values().collect(),
        grants,
    })
}

/// Returns the error that runs of an installed skill would get because of its settings.
pub fn check_plugin_config(state: &State, skill_id: &str) -> Result<(), CallError> {
    let record = state.skills().record(skill_id)?;
    let view = state.view();
    effective_config(skill_id, &record.current.manifest, view.plugins().configs.get(skill_id))?;
    Ok(())
}
