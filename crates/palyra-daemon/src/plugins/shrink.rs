//! A plan that narrows the profile of a skill to the grants its runs used.

use std::collections::BTreeSet;

use palyra_api::Problem;
use palyra_api::plugins::{Profile, ShrinkPlan, ShrinkRequest};
use palyra_common::capabilities::FilesystemGrant;
use palyra_common::{Capability, CapabilityGrantSet, ErrorCode, PluginCapabilityProfile};
use palyra_runner::declared_versus_used;
use palyra_state::{Revised, State};

use super::{installed, profile};
use crate::problem::ToProblem;

/// Grants that a profile would keep and remove.
struct Shrink {
    before: Revised<PluginCapabilityProfile>,
    keep: CapabilityGrantSet,
    remove: CapabilityGrantSet,
    runs: u64,
}

/// Returns the grants that runs of a skill used, and those that a profile could remove.
pub(crate) fn plan_shrink(state: &State, skill_id: &str) -> Result<ShrinkPlan, Problem> {
    let Shrink { before, keep, remove, runs } = read(state, skill_id)?;
    let keep = texts(&keep);
    let grants: String = keep.iter().map(|grant| format!("--grant '{grant}' ")).collect();
    Ok(ShrinkPlan {
        skill_id: skill_id.to_owned(),
        revision: before.revision,
        runs,
        remove: texts(&remove),
        command: format!("palyra plugins profile set {skill_id} --only {grants}").trim_end().to_owned(),
        keep,
    })
}

/// Sets the planned profile, if the plan is still the one that was shown.
pub(crate) fn apply_shrink(
    state: &State,
    skill_id: &str,
    request: &ShrinkRequest,
    principal: &str,
) -> Result<Profile, Problem> {
    let Shrink { before, keep, remove, .. } = read(state, skill_id)?;
    let asked: BTreeSet<&str> = request.remove.iter().map(String::as_str).collect();
    let planned = texts(&remove);
    if before.revision != request.revision || asked != planned.iter().map(String::as_str).collect() {
        let message =
            format!("the profile of `{skill_id}`, or what its runs used, has changed since the plan");
        return Err(Problem::new(ErrorCode::ConsentMismatch, message).hint("read the new plan and apply it"));
    }
    if remove.is_empty() {
        return Err(Problem::new(ErrorCode::Usage, format!("`{skill_id}` uses every grant it has")));
    }
    let after = PluginCapabilityProfile { grants: Some(keep), ..before.value };
    let set = state.settings().change_profile(skill_id, &after, Some(before.revision), principal);
    set.map_err(|error| error.to_problem())?;
    profile(state, skill_id)
}

fn read(state: &State, skill_id: &str) -> Result<Shrink, Problem> {
    installed(state, skill_id)?;
    // Read before the uses: a profile that changes in between has another revision when the plan is applied.
    let before = state.settings().profile(skill_id).unwrap_or_default();
    let used = declared_versus_used(state, skill_id).map_err(|error| error.to_problem())?;
    let totals = state.skills().info(skill_id).map_err(|error| error.to_problem())?.runs;
    let names: BTreeSet<&str> =
        used.declared.iter().filter(|one| one.used > 0).map(|one| one.capability.as_str()).collect();
    let given = used.grants.derivations.iter().filter(|one| !one.given.is_empty());
    let given = given.map(|one| without_directory(one.asked.clone()));
    let (keep, remove): (Vec<_>, Vec<_>) = given.partition(|grant| names.contains(name(grant).as_str()));
    let within = |set: Vec<Capability>| {
        let set: CapabilityGrantSet = set.into_iter().collect();
        before.value.grants.as_ref().map_or(set.clone(), |bound| set.intersect(bound))
    };
    let (keep, remove) = (within(keep), within(remove));
    Ok(Shrink { keep, remove, runs: totals.completed.saturating_add(totals.failed), before })
}

/// Returns the name under which uses of a grant are counted.
fn name(grant: &Capability) -> String {
    match grant {
        Capability::Http(rule) => format!("http:{}", rule.host),
        Capability::Secret(grant) => format!("secret:{}", grant.secret),
        Capability::Storage(grant) => format!("storage:{}", grant.prefix),
        Capability::Channel(name) => format!("channel:{name}"),
        Capability::Filesystem(grant) => format!("fs:{}", grant.root),
    }
}

/// Removes the directory of a root, which the profile stores separately.
fn without_directory(grant: Capability) -> Capability {
    match grant {
        Capability::Filesystem(grant) => {
            Capability::Filesystem(FilesystemGrant::unmapped(grant.access, grant.root))
        }
        grant => grant,
    }
}

fn texts(set: &CapabilityGrantSet) -> Vec<String> {
    Vec::<Capability>::from(set.clone()).iter().map(ToString::to_string).collect()
}
