//! Reads and changes the profile of a skill, as API types.

use palyra_api::Problem;
use palyra_api::plugins::{Profile, ProfileChange};
use palyra_common::limits::LimitSyntaxError;
use palyra_common::{
    Capability, CapabilityGrantSet, ErrorCode, LimitKind, PluginCapabilityProfile, RuntimeLimits,
};
use palyra_skills::{SkillManifest, capability_grants_from_manifest};
use palyra_state::{Revised, State};

use super::installed;
use crate::problem::ToProblem;
use crate::to_api::ToApi;

/// Returns the profile of an installed skill; an empty profile restricts nothing.
pub(crate) fn profile(state: &State, skill_id: &str) -> Result<Profile, Problem> {
    installed(state, skill_id)?;
    Ok(to_api(skill_id, &state.settings().profile(skill_id).unwrap_or_default()))
}

/// Changes the profile of a skill on behalf of a principal.
pub(crate) fn change_profile(
    state: &State,
    skill_id: &str,
    change: &ProfileChange,
    principal: &str,
) -> Result<Profile, Problem> {
    let record = installed(state, skill_id)?;
    check_asked_for(&record.current.manifest, change)?;
    let before = state.settings().profile(skill_id).unwrap_or_default();
    let after = changed(before.value, change)?;
    let set = state.settings().change_profile(skill_id, &after, Some(before.revision), principal);
    set.map_err(|error| error.to_problem())?;
    profile(state, skill_id)
}

/// Rejects a grant that the skill does not request: it would have no effect, although the profile suggests one.
fn check_asked_for(manifest: &SkillManifest, change: &ProfileChange) -> Result<(), Problem> {
    let wanted = PluginCapabilityProfile::parse(&change.grants)
        .map_err(|error| Problem::new(ErrorCode::Usage, error.to_string()).hint(error.hint()))?;
    let asked = capability_grants_from_manifest(manifest);
    let wanted: Vec<Capability> = wanted.grants.map(Into::into).unwrap_or_default();
    let is_asked = |grant: &Capability| !asked.intersect(&[grant.clone()].into_iter().collect()).is_empty();
    match wanted.iter().find(|grant| !change.only && !is_asked(grant)) {
        None => Ok(()),
        Some(grant) => {
            let id = &manifest.skill_id;
            let message = format!("`{id}` does not request `{grant}`, so its profile cannot allow it");
            Err(Problem::new(ErrorCode::Usage, message)
                .hint(format!("see its requests with `palyra plugins grants {id}`")))
        }
    }
}

/// Returns the profile of a skill as its API type.
pub(super) fn to_api(skill_id: &str, set: &Revised<PluginCapabilityProfile>) -> Profile {
    let PluginCapabilityProfile { grants, directories, allow_addresses, limits } = &set.value;
    Profile {
        skill_id: skill_id.to_owned(),
        revision: set.revision,
        grants: grants.to_api(),
        directories: directories
            .iter()
            .map(|(root, directory)| (root.to_string(), directory.display().to_string()))
            .collect(),
        allow_addresses: allow_addresses.iter().map(ToString::to_string).collect(),
        limits: limits.iter().map(|(kind, most)| (kind.to_string(), *most)).collect(),
    }
}

/// Applies a change to the present profile, or replaces it if the change says so; an unbounded profile cannot be
/// extended.
fn changed(
    before: PluginCapabilityProfile,
    change: &ProfileChange,
) -> Result<PluginCapabilityProfile, Problem> {
    let asked = PluginCapabilityProfile::parse(&change.grants)
        .map_err(|error| Problem::new(ErrorCode::Usage, error.to_string()).hint(error.hint()))?;
    let mut after = if change.only {
        PluginCapabilityProfile { limits: before.limits, ..asked }
    } else {
        added(before, asked)
    };
    for text in &change.limits {
        let (kind, most) = limit(text)
            .map_err(|error| Problem::new(ErrorCode::Usage, error.to_string()).hint(error.hint()))?;
        after.limits.insert(kind, most);
    }
    Ok(after)
}

fn added(before: PluginCapabilityProfile, asked: PluginCapabilityProfile) -> PluginCapabilityProfile {
    let mut after = before;
    after.grants = after.grants.map(|bound| union(bound, asked.grants.unwrap_or_default()));
    after.directories.extend(asked.directories);
    after.allow_addresses.extend(asked.allow_addresses);
    after.allow_addresses.sort();
    after.allow_addresses.dedup();
    after
}

fn union(one: CapabilityGrantSet, other: CapabilityGrantSet) -> CapabilityGrantSet {
    Vec::<Capability>::from(one).into_iter().chain(Vec::<Capability>::from(other)).collect()
}

/// Parses a limit such as `fuel=1000`.
fn limit(text: &str) -> Result<(LimitKind, u64), LimitSyntaxError> {
    let mut limits = RuntimeLimits::default();
    limits.set(text)?;
    let name = text.split('=').next().unwrap_or_default().trim();
    let kind = LimitKind::SETTABLE.into_iter().find(|kind| kind.wire_name() == name);
    let set = kind.and_then(|kind| Some((kind, limits.get(kind)?)));
    set.ok_or_else(|| LimitSyntaxError::UnknownLimit(name.to_owned()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn change(only: bool, grants: &[&str], limits: &[&str]) -> ProfileChange {
        let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
        ProfileChange { only, grants: owned(grants), limits: owned(limits) }
    }

    fn shown(profile: &PluginCapabilityProfile) -> Option<Vec<String>> {
        profile.grants.to_api()
    }

    #[test]
    fn grants_are_added_unless_they_are_all_there_shall_be() {
        let none = PluginCapabilityProfile::default();
        let mapped = changed(none, &change(false, &["fs-read:docs=/srv/docs"], &["fuel=5"])).unwrap();
        assert_eq!(shown(&mapped), None, "mapping a directory narrows nothing");
        assert_eq!(mapped.directories.len(), 1);
        let bound = changed(mapped, &change(true, &["channel:a"], &[])).unwrap();
        assert_eq!(shown(&bound).unwrap(), ["channel:a"]);
        assert!(bound.directories.is_empty());
        assert_eq!(bound.limits.get(&LimitKind::Fuel), Some(&5), "limits stay");
        let more = changed(bound, &change(false, &["channel:b", "address:10.0.0.0/8"], &[])).unwrap();
        assert_eq!(shown(&more).unwrap(), ["channel:a", "channel:b"]);
        assert_eq!(more.allow_addresses.len(), 1);
        assert_eq!(shown(&changed(more, &change(true, &[], &[])).unwrap()), Some(Vec::new()));
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for (grants, limits) in [(&["nothing"][..], &[][..]), (&[], &["fuel"]), (&[], &["speed=1"])] {
            let refused = changed(PluginCapabilityProfile::default(), &change(false, grants, limits));
            assert_eq!(refused.unwrap_err().code.as_str(), "usage");
        }
    }
}
