//! What a skill declares beside what its runs used, and whether its settings let it run.

use std::collections::BTreeMap;

use palyra_skills::capability_grants_from_manifest;
use palyra_state::{CapabilityTotal, SkillError, State, effective_config};
use serde::Serialize;

use super::CallError;
use super::grants::{EffectiveGrants, effective_grants};
use super::usage::declared;

/// What a skill declares beside what it used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeclaredVersusUsed {
    /// The skill.
    pub skill_id: String,
    /// Every capability the manifest declares, used or not.
    pub declared: Vec<DeclaredCapability>,
    /// Capabilities it attempted to use without declaring them.
    pub undeclared: Vec<CapabilityTotal>,
    /// Effective grants, and their reasons.
    pub grants: EffectiveGrants,
}

/// A declared capability and its use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeclaredCapability {
    /// The capability, for example `http:api.example.com`.
    pub capability: String,
    /// Number of successful uses.
    pub used: u64,
    /// Number of denied uses.
    pub denied: u64,
    /// The last run that came to it; `None` if none did.
    pub last_run: Option<String>,
}

/// What an installed skill declares beside what it used.
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

/// Whether runs of an installed skill would get their settings now; else what refuses them.
pub fn check_plugin_config(state: &State, skill_id: &str) -> Result<(), CallError> {
    let record = state.skills().record(skill_id)?;
    let view = state.view();
    effective_config(skill_id, &record.current.manifest, view.plugins().configs.get(skill_id))?;
    Ok(())
}
