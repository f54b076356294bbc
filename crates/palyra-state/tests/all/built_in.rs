//! Releases embedded in the program: trusted by their payload, regardless of their signer.

use std::collections::BTreeSet;
use std::sync::Arc;

use palyra_skills::trust::RevocationTarget;
use palyra_skills::{BuiltArtifact, RuntimeStatus, TrustState};
use palyra_state::{InstallOptions, SkillError, State};
use palyra_testkit::{Home, Release, keys, permitting, try_install};

/// Creates a state root of a program that embeds this release, and installs it.
fn with_built_in(built: &BuiltArtifact) -> (Home, State) {
    let mut home = Home::new();
    home.options.built_in = Arc::new(BTreeSet::from([built.payload]));
    let state = home.open();
    let options = InstallOptions { allow_tofu: false, ..permitting(built) };
    let outcome = try_install(&state, built, &options).unwrap();
    assert_eq!((outcome.status, outcome.trust), (RuntimeStatus::Active, TrustState::BuiltIn));
    (home, state)
}

fn status(state: &State) -> RuntimeStatus {
    state.view().index().get("acme.notes").unwrap().runtime_status()
}

fn refusal(result: Result<impl std::fmt::Debug, SkillError>) -> &'static str {
    match result.unwrap_err() {
        SkillError::Refused(refusal) => refusal.code().as_str(),
        other => panic!("{other}"),
    }
}

#[test]
fn built_in_release_is_trusted_and_its_publisher_not_pinned() {
    let (_home, state) = with_built_in(&Release::number(1).build());
    assert!(state.view().trust().publisher("acme").is_none());
    assert!(state.view().trust().skill("acme.notes").unwrap().has_built_in());
}

#[test]
fn built_in_release_stays_trusted_after_an_upgrade_of_the_program() {
    let built = Release::number(1).build();
    let (mut home, state) = with_built_in(&built);
    drop(state);
    home.options.built_in = Arc::default();
    let state = home.open();
    assert_eq!(
        state.skills().verify_installed("acme.notes", "owner").unwrap().skill.payload(),
        built.payload
    );
    state.skills().re_audit(None, "owner").unwrap();
    assert_eq!(status(&state), RuntimeStatus::Active);
}

#[test]
fn built_in_skill_is_not_taken_over_by_a_publisher_that_is_merely_new() {
    let (_home, state) = with_built_in(&Release::number(1).build());
    let other = Release { signer: 9, ..Release::number(2) }.build();
    for options in [permitting(&other), InstallOptions::default()] {
        assert_eq!(refusal(try_install(&state, &other, &options)), "built_in_skill");
    }
    assert_eq!(status(&state), RuntimeStatus::Active);
    state.trust().allow_publisher("acme", keys(9), "owner").unwrap();
    let outcome = try_install(&state, &other, &InstallOptions::default()).unwrap();
    assert_eq!(outcome.trust, TrustState::Trusted);
}

#[test]
fn payload_that_is_not_built_in_is_an_unknown_publishers() {
    let mut home = Home::new();
    home.options.built_in = Arc::new(BTreeSet::from([Release::number(2).build().payload]));
    let state = home.open();
    let outcome = try_install(&state, &Release::number(1).build(), &InstallOptions::default()).unwrap();
    assert_eq!(outcome.trust, TrustState::Quarantine);
}

#[test]
fn revoked_built_in_release_does_not_run() {
    let built = Release::number(1).build();
    let (_home, state) = with_built_in(&built);
    assert!(state.trust().revoke(RevocationTarget::Payload(built.payload), "defective", "owner").unwrap());
    assert_eq!(status(&state), RuntimeStatus::Quarantined);
    assert_eq!(refusal(try_install(&state, &built, &permitting(&built))), "revoked");
}
