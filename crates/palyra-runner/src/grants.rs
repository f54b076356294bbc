//! Grants in effect for a run: the intersection of manifest, tool, consent, profile and policy, with the operator's
//! directories filled in, and a derivation for each grant.

mod derive;

use std::path::Path;
use std::sync::Arc;

use ipnet::IpNet;
use palyra_common::capabilities::FilesystemGrant;
use palyra_common::{
    Capability, CapabilityGrantSet, CapabilityKind, Denial, OperatorGrants, PluginCapabilityProfile,
    WasmPluginRunError, WasmPluginRunnerPolicy,
};
use palyra_skills::manifest::SkillManifest;
use palyra_skills::{capability_grants_from_manifest, narrowed_grants_of_tool};
use palyra_state::{SkillError, State, StateRoot, check_outside};
use serde::Serialize;

pub use derive::{GrantAuthority, GrantDerivation, GrantStep, GrantVerdict};

/// The grants in effect for a run, with the derivation of each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EffectiveGrants {
    /// Capabilities that the guest has.
    #[serde(serialize_with = "as_set")]
    pub grants: Arc<CapabilityGrantSet>,
    /// Address ranges that an operator opened.
    #[serde(serialize_with = "as_list")]
    pub allow_addresses: Arc<[IpNet]>,
    /// Verdicts of the authorities about each requested grant.
    pub derivations: Vec<GrantDerivation>,
}

/// Everything that restricts the grants of one run.
pub(super) struct Authorities<'a> {
    pub(super) skill_id: &'a str,
    /// Requested capabilities: of the manifest, or of the caller of an inline module.
    pub(super) asked: &'a CapabilityGrantSet,
    /// The tool, if the manifest restricts it more than its skill.
    pub(super) narrowed: Option<NarrowedTool<'a>>,
    /// Consented capabilities; `None` if no consent is required.
    pub(super) consented: Option<&'a CapabilityGrantSet>,
    pub(super) profile: &'a PluginCapabilityProfile,
    pub(super) policy: &'a WasmPluginRunnerPolicy,
    /// Directories and addresses that an operator opens for the call.
    pub(super) operator: &'a OperatorGrants,
}

/// A tool with fewer capabilities than its skill.
#[derive(Clone)]
pub(super) struct NarrowedTool<'a> {
    pub(super) id: &'a str,
    pub(super) grants: CapabilityGrantSet,
}

impl<'a> NarrowedTool<'a> {
    /// Returns the tool with this id, if the manifest restricts it.
    pub(super) fn of(manifest: &SkillManifest, id: &'a str) -> Option<Self> {
        let tool = manifest.entrypoints.tools.iter().find(|tool| tool.id == id)?;
        Some(Self { id, grants: narrowed_grants_of_tool(manifest, tool)? })
    }
}

impl Authorities<'_> {
    /// Returns the intersection of all authorities. A root without a directory is not granted.
    pub(super) fn effective(&self) -> EffectiveGrants {
        let asked: Vec<Capability> = self.asked.clone().into();
        let derivations: Vec<GrantDerivation> =
            asked.into_iter().map(|grant| derive::derive(self, grant)).collect();
        let given = derivations.iter().flat_map(|one| Vec::<Capability>::from(one.given.clone()));
        let mut allow_addresses = self.profile.allow_addresses.clone();
        allow_addresses.extend(self.operator.allow_addresses.iter().copied());
        allow_addresses.sort();
        allow_addresses.dedup();
        EffectiveGrants {
            grants: Arc::new(given.collect()),
            allow_addresses: allow_addresses.into(),
            derivations,
        }
    }

    /// Returns the directory of a root: that of the call, else that of the profile.
    fn directory(&self, grant: &FilesystemGrant) -> Option<FilesystemGrant> {
        let of_call = CapabilityGrantSet::from_iter([Capability::Filesystem(grant.clone())])
            .intersect(&self.operator.capabilities);
        let of_call = of_call.filesystem().iter().find(|mapped| mapped.directory().is_some()).cloned();
        let own = grant.directory().is_some().then(|| grant.clone());
        of_call.or(own).or_else(|| {
            let directory = self.profile.directories.get(&grant.root)?.to_str()?;
            FilesystemGrant::parse(grant.access, &format!("{}={directory}", grant.root)).ok()
        })
    }
}

impl EffectiveGrants {
    /// Rejects directories that contain the state root or are inside it. Checked for every run.
    pub(super) fn check_directories(&self, root: &StateRoot) -> Result<(), WasmPluginRunError> {
        let directories = self.grants.filesystem().iter().filter_map(FilesystemGrant::directory);
        for directory in directories {
            check_outside(root, directory).map_err(|_| outside(directory))?;
        }
        Ok(())
    }

    /// Adds to a denial which authority refused a capability that the manifest requests; returns that authority.
    pub(super) fn explain(&self, denial: &mut Denial) -> Option<GrantAuthority> {
        let named = |one: &&GrantDerivation| one.is_about(denial.kind, &denial.subject);
        let of_kind = |one: &&GrantDerivation| one.is_of(denial.kind);
        let refused = |one: &&GrantDerivation| one.refusal().is_some();
        let derivations = || self.derivations.iter().filter(refused);
        // A guest without a handle cannot name its target, so any refused grant of this kind explains the denial. A
        // path names its root.
        let of_kind = |one: &&GrantDerivation| of_kind(one) && denial.kind != CapabilityKind::Filesystem;
        let about = derivations().find(named).or_else(|| derivations().find(of_kind));
        let step = about.and_then(GrantDerivation::refusal)?;
        denial.reason = format!("{}; {}", denial.reason, step.reason);
        if let Some(remedy) = &step.remedy {
            denial.grant = None;
            denial.manifest = Some(format!("the manifest requests this already; {remedy}"));
        }
        Some(step.by)
    }
}

/// Returns the grants in effect for runs of a skill, with their derivations. A tool may have fewer.
pub fn effective_grants(state: &State, skill_id: &str) -> Result<EffectiveGrants, SkillError> {
    effective(state, skill_id, None)
}

/// Returns the grants in effect for one tool, or for its skill if the current release has no such tool.
pub fn effective_grants_of_tool(
    state: &State,
    skill_id: &str,
    tool_id: &str,
) -> Result<EffectiveGrants, SkillError> {
    effective(state, skill_id, Some(tool_id))
}

fn effective(state: &State, skill_id: &str, tool_id: Option<&str>) -> Result<EffectiveGrants, SkillError> {
    let (view, record) = (state.view(), state.skills().record(skill_id)?);
    let settings = view.plugins();
    let (manifest, consent) = (&record.current.manifest, view.consents().get(record.current.payload));
    let authorities = Authorities {
        skill_id,
        asked: &capability_grants_from_manifest(manifest),
        narrowed: tool_id.and_then(|id| NarrowedTool::of(manifest, id)),
        consented: Some(&consent.map(|consent| consent.granted.clone()).unwrap_or_default()),
        profile: &settings.profiles.get(skill_id).cloned().unwrap_or_default().value,
        policy: &settings.policy.value,
        operator: &OperatorGrants::default(),
    };
    Ok(authorities.effective())
}

fn outside(directory: &Path) -> WasmPluginRunError {
    WasmPluginRunError::InvalidInput {
        subject: "input",
        pointer: None,
        reason: format!("`{}` contains the state root, or is inside it", directory.display()),
        remedy: Some("map the root to a directory outside the state root".into()),
    }
}

fn as_set<S: serde::Serializer>(grants: &Arc<CapabilityGrantSet>, serializer: S) -> Result<S::Ok, S::Error> {
    CapabilityGrantSet::serialize(grants, serializer)
}

fn as_list<S: serde::Serializer>(ranges: &Arc<[IpNet]>, serializer: S) -> Result<S::Ok, S::Error> {
    <[IpNet]>::serialize(ranges, serializer)
}
