//! The example skills that are embedded in this program.

use crate::error::CliError;
use crate::output::Printer;
use crate::progress::with_progress_blocking;
use palyra_built_in_skills::{ALL_NAMES, BuiltInSkill, EMBEDDED, missing};
use palyra_common::Capability;
use palyra_common::principal::OWNER;
use palyra_daemon::built_in::built_in_releases;
use palyra_skills::consent::ConsentGiven;
use palyra_skills::install::InstallOutcome;
use palyra_skills::{Sha256Digest, TrustState, capability_grants_from_manifest};
use palyra_state::{InstallOptions, State};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Installs every built-in skill into a state root that never had a skill, and updates those of an earlier version of
/// this program. Skills that an operator removed stay removed. Returns notes for the user.
pub(super) fn install(state: &State, printer: &Printer) -> Vec<String> {
    let view = state.view();
    let first = view.trust().skills().next().is_none();
    let known = |payload| view.trust().skills().any(|(_, skill)| skill.knows(payload));
    let current = built_in_releases();
    let outdated: BTreeSet<&str> = view
        .index()
        .iter()
        .filter(|record| record.current.trust == TrustState::BuiltIn)
        .filter(|record| !current.contains(&record.current.payload))
        .map(|record| record.skill_id.as_str())
        .collect();
    let mut notes: Vec<String> = lacks().filter(|_| first).into_iter().collect();
    for skill in EMBEDDED {
        let new = skill.payload_sha256.parse::<Sha256Digest>().is_ok_and(|payload| !known(payload));
        if !new || (!first && outdated.is_empty()) {
            continue;
        }
        let what = format!("installing the built-in skill {}", skill.name);
        let installed = with_progress_blocking(&what, printer.terminal(), || {
            install_one(state, skill, |skill_id| first || outdated.contains(skill_id))
        });
        // A skill that this build cannot install does not prevent the start.
        if let Err(error) = installed {
            notes.push(format!("the built-in skill {} was not installed: {error}", skill.name));
        }
    }
    notes
}

fn install_one(
    state: &State,
    skill: &BuiltInSkill,
    wanted: impl FnOnce(&str) -> bool,
) -> Result<(), CliError> {
    let bytes: Arc<[u8]> = skill.package.into();
    let planned = state
        .skills()
        .plan_install(Arc::clone(&bytes), &InstallOptions::default())
        .map_err(palyra_state::SkillError::Refused)?;
    if wanted(&planned.record.skill_id) {
        let options = InstallOptions { consent: consent(&planned), ..InstallOptions::default() };
        state.skills().install(bytes, &options, OWNER, &mut |_| {})?;
    }
    Ok(())
}

/// Returns the consent for an example that accesses only its own storage; starting the daemon implies it.
fn consent(planned: &InstallOutcome) -> Option<ConsentGiven> {
    let release = planned.record.release(planned.payload)?;
    let asked: Vec<Capability> = capability_grants_from_manifest(&release.manifest).into();
    let stays = asked.iter().all(|capability| matches!(capability, Capability::Storage(_)));
    let request = planned.consent_request.as_ref().filter(|_| stays)?;
    Some(ConsentGiven { digest: request.digest(), principal: "owner".to_owned(), secrets: BTreeSet::new() })
}

/// Returns a note about example skills that a plain `cargo build` does not embed.
fn lacks() -> Option<String> {
    let missing: Vec<&str> = missing().collect();
    (!missing.is_empty()).then(|| {
        format!(
            "this build has {} of {} example skills; `cargo xtask build` also builds {}",
            EMBEDDED.len(),
            ALL_NAMES.len(),
            missing.join(", ")
        )
    })
}
