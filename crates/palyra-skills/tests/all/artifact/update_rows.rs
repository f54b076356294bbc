//! Rows U01, U02 and U06: versions and counters of releases only increase.

use palyra_skills::SkillTrustStore;
use palyra_skills::constants::MAX_COUNTER_STEP;
use palyra_skills::trust::RollbackRefusal;
use palyra_skills::verify::{RefusalReason, VerifyStepName};

use super::support::{Recipe, store, verify_with};

fn release(version: &str, counter: u64) -> Recipe {
    Recipe { version: version.into(), counter, ..Recipe::default() }
}

/// A store that accepted these releases.
fn after(releases: &[(&str, u64)]) -> SkillTrustStore {
    let mut store = store();
    for (version, counter) in releases {
        let verification = verify_with(&store, release(version, *counter).build()).unwrap();
        store.apply(&verification.proposed.unwrap()).unwrap();
    }
    store
}

fn refused(store: &SkillTrustStore, recipe: &Recipe) -> RollbackRefusal {
    let refusal = verify_with(store, recipe.build()).expect_err("it was accepted");
    assert_eq!(refusal.step, VerifyStepName::Ownership, "{refusal}");
    assert!(!refusal.hint().is_empty());
    match refusal.reason {
        RefusalReason::Rollback(reason) => reason,
        other => panic!("{other}"),
    }
}

#[test]
fn u01_an_older_version_is_refused_even_after_removal() {
    // The store is independent of what is installed: the mark stays when a skill is removed.
    let store = after(&[("1.0.0", 1), ("1.2.0", 2)]);
    assert!(matches!(refused(&store, &release("1.1.0", 3)), RollbackRefusal::Older { .. }));
    assert!(matches!(refused(&store, &release("1.0.0", 1)), RollbackRefusal::Older { .. }));
    assert!(matches!(refused(&store, &release("1.2.0-rc.1", 3)), RollbackRefusal::Older { .. }));
    assert!(matches!(
        refused(&store, &release("1.3.0", 2)),
        RollbackRefusal::CounterWentBack { found: 2, known: 2, .. }
    ));
    assert!(matches!(refused(&store, &release("1.3.0", 1)), RollbackRefusal::CounterWentBack { .. }));
    verify_with(&store, release("1.3.0", 3).build()).unwrap();
    verify_with(&store, release("1.2.0", 2).build()).unwrap();
}

#[test]
fn u02_the_same_version_with_other_bytes_is_refused() {
    let store = after(&[("1.0.0", 1), ("1.2.0", 2)]);
    for version in ["1.2.0", "1.0.0"] {
        let other = Recipe { note: "other bytes", ..release(version, 3) };
        assert!(matches!(refused(&store, &other), RollbackRefusal::Equivocation { .. }), "{version}");
    }
}

#[test]
fn u06_a_counter_that_jumps_is_refused() {
    let last = palyra_skills::manifest::MAX_RELEASE_COUNTER;
    for counter in [last, MAX_COUNTER_STEP + 1] {
        assert!(matches!(refused(&store(), &release("1.0.0", counter)), RollbackRefusal::CounterJump { .. }));
    }
    let store = after(&[("1.0.0", 5)]);
    assert!(matches!(
        refused(&store, &release("1.0.1", 5 + MAX_COUNTER_STEP + 1)),
        RollbackRefusal::CounterJump { known: 5, .. }
    ));
    verify_with(&store, release("1.0.1", 5 + MAX_COUNTER_STEP).build()).unwrap();
    // The store itself, with a number no manifest can hold.
    let mark = palyra_skills::trust::ReleaseMark {
        skill_id: "acme.notes".into(),
        version: "9.0.0".parse().unwrap(),
        release_counter: u64::MAX,
        payload: palyra_skills::Sha256Digest::of(b""),
        built_in: false,
    };
    assert!(store.clone().record_release("acme", &mark).is_err());
}

#[test]
fn a_refused_change_changes_nothing() {
    let mut store = after(&[("1.0.0", 1)]);
    let first = verify_with(&store, release("1.1.0", 2).build()).unwrap().proposed.unwrap();
    let second = verify_with(&store, Recipe { note: "other", ..release("1.1.0", 2) }.build()).unwrap();
    store.apply(&first).unwrap();
    let before = store.clone();
    store.apply(&second.proposed.unwrap()).unwrap_err();
    assert_eq!(store, before);
    store.apply(&first).unwrap();
    assert_eq!(store, before, "applying twice is applying once");
}
