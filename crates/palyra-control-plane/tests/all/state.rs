//! Routines, objectives and fires in a state root.

use crate::memory::{every, routine};
use palyra_control_plane::{
    Charge, ControlError, Objective, ObjectiveState, RE_AUDIT, Routine, RoutineStore, StateStore, When,
};
use palyra_journal::{EventKind, Query};
use palyra_state::{
    ClaimedFire, FireCause, FireEnd, FireKey, FireQuery, FireStatus, NewFire, State, StateOptions, StateRoot,
};
use palyra_vault::KeySourceChoice;
use std::sync::Arc;

fn options() -> StateOptions {
    StateOptions { key_source: KeySourceChoice::File, ..StateOptions::default() }
}

fn home() -> (tempfile::TempDir, StateRoot, Arc<State>) {
    let home = tempfile::tempdir().unwrap();
    let root = StateRoot::new(home.path().join("root"));
    let state = Arc::new(root.init(&options()).unwrap());
    (home, root, state)
}

fn objective(name: &str, runs: Option<u64>, fuel: Option<u64>) -> Objective {
    Objective {
        name: name.into(),
        goal: "a tidy inbox".into(),
        max_runs: runs,
        max_fuel: fuel,
        set_to: ObjectiveState::Active,
        created_ms: 1,
    }
}

fn fire(store: &Routine, due_ms: u64, budget: Option<palyra_state::Budget>) -> NewFire {
    NewFire {
        key: FireKey { routine: store.name.clone(), due_ms },
        cause: FireCause::Schedule,
        principal: store.principal(),
        tool_id: store.tool().map(str::to_owned),
        late_ms: 0,
        budget,
        most_fuel: None,
    }
}

fn ended(fuel: u64) -> FireEnd {
    FireEnd { status: FireStatus::Completed, run_id: None, error: None, message: None, fuel: Some(fuel) }
}

fn events(state: &State, kind: EventKind) -> usize {
    state
        .journal()
        .query(&Query { kinds: vec![kind], limit: 1_000, ..Query::default() })
        .unwrap()
        .events
        .len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_due_time_is_taken_once_even_by_the_next_owner() {
    let (_home, root, state) = home();
    let routine = routine("r", every(60));
    assert_eq!(
        state.control().claim_fire(fire(&routine, 5, None)).await.unwrap(),
        ClaimedFire::Go { fuel_left: None }
    );
    assert_eq!(state.control().claim_fire(fire(&routine, 5, None)).await.unwrap(), ClaimedFire::Taken);
    assert!(
        !state.control().pass_fire(fire(&routine, 5, None).key, FireCause::Schedule, "missed").await.unwrap()
    );
    assert_eq!(events(&state, EventKind::RoutineFired), 1);
    // The owner ended before the fire did.
    Arc::try_unwrap(state).ok().unwrap().close().unwrap();
    let state = State::open(&root, &options()).unwrap();
    assert_eq!(state.control().claim_fire(fire(&routine, 5, None)).await.unwrap(), ClaimedFire::Taken);
    let page = state.control().fires("r", &FireQuery::default()).unwrap();
    assert_eq!((page.fires.len(), page.fires[0].status.as_str()), (1, "interrupted"));
    assert_eq!(state.control().last_due("r", 100).unwrap(), Some(5));
    assert_eq!(state.control().last_due("r", 4).unwrap(), None);
    // A late end from the previous owner changes nothing.
    state.control().finish_fire(page_key(5), ended(1)).await.unwrap();
    assert_eq!(state.control().fire(&page_key(5)).unwrap().unwrap().status, "interrupted");
}

fn page_key(due_ms: u64) -> FireKey {
    FireKey { routine: "r".into(), due_ms }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_who_claim_one_due_time_get_it_once() {
    let (_home, _root, state) = home();
    let mut tasks = Vec::new();
    for _ in 0..16 {
        let state = Arc::clone(&state);
        tasks.push(tokio::spawn(async move {
            state.control().claim_fire(fire(&routine("r", every(60)), 7, None)).await.unwrap()
        }));
    }
    let mut gone = 0;
    for task in tasks {
        gone += usize::from(task.await.unwrap() != ClaimedFire::Taken);
    }
    assert_eq!((gone, events(&state, EventKind::RoutineFired)), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn budgets_of_runs_and_fuel_end_what_is_charged_to_them() {
    let (_home, _root, state) = home();
    let store = StateStore::new(Arc::clone(&state));
    store.add_objective(&objective("runs", Some(2), None), "owner").unwrap();
    store.add_objective(&objective("fuel", None, Some(100)), "owner").unwrap();
    let mut routine = routine("r", every(60));
    routine.objective = Some("runs".into());
    let Charge::Open(budget) = store.charge(&routine).await.unwrap() else { panic!() };
    for due in [1, 2] {
        let claimed = state.control().claim_fire(fire(&routine, due, budget.clone())).await.unwrap();
        assert_eq!(claimed, ClaimedFire::Go { fuel_left: None });
    }
    assert_eq!(
        state.control().claim_fire(fire(&routine, 2, budget.clone())).await.unwrap(),
        ClaimedFire::Taken
    );
    assert_eq!(state.control().claim_fire(fire(&routine, 3, budget)).await.unwrap(), ClaimedFire::Exhausted);
    assert_eq!(state.control().fire(&page_key(3)).unwrap().unwrap().reason.as_deref(), Some("budget"));
    assert_eq!(
        state.control().fire(&page_key(2)).unwrap().unwrap().status,
        "running",
        "what was taken stays as it is"
    );
    let used = store.used("runs").unwrap();
    assert_eq!((used.runs, store.objective("runs").unwrap().state(used)), (2, ObjectiveState::Exhausted));
    routine.objective = Some("fuel".into());
    let Charge::Open(budget) = store.charge(&routine).await.unwrap() else { panic!() };
    let claimed = state.control().claim_fire(fire(&routine, 10, budget.clone())).await.unwrap();
    assert_eq!(claimed, ClaimedFire::Go { fuel_left: Some(100) });
    state.control().finish_fire(page_key(10), ended(60)).await.unwrap();
    state.control().finish_fire(page_key(10), ended(60)).await.unwrap();
    let claimed = state.control().claim_fire(fire(&routine, 11, budget.clone())).await.unwrap();
    assert_eq!(claimed, ClaimedFire::Go { fuel_left: Some(40) }, "an end counts once");
    state.control().finish_fire(page_key(11), ended(40)).await.unwrap();
    assert_eq!(state.control().claim_fire(fire(&routine, 12, budget)).await.unwrap(), ClaimedFire::Exhausted);
    store.set_objective("fuel", ObjectiveState::Paused, "owner").unwrap();
    assert_eq!(store.charge(&routine).await.unwrap(), Charge::Closed("paused"));
    routine.objective = Some("gone".into());
    assert_eq!(store.charge(&routine).await.unwrap(), Charge::Closed("no_objective"));
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_fires_share_the_fuel_budget_of_an_objective() {
    let (_home, root, state) = home();
    let store = StateStore::new(Arc::clone(&state));
    store.add_objective(&objective("fuel", None, Some(100)), "owner").unwrap();
    let mut routine = routine("r", every(60));
    routine.objective = Some("fuel".into());
    let Charge::Open(budget) = store.charge(&routine).await.unwrap() else { panic!() };
    let limited = |due| NewFire { most_fuel: Some(60), ..fire(&routine, due, budget.clone()) };
    for (due, reserved) in [(1, 60), (2, 40)] {
        let claimed = state.control().claim_fire(limited(due)).await.unwrap();
        assert_eq!(claimed, ClaimedFire::Go { fuel_left: Some(reserved) });
    }
    assert_eq!(state.control().claim_fire(limited(3)).await.unwrap(), ClaimedFire::Exhausted);
    let used = store.used("fuel").unwrap();
    assert_eq!((used.fuel, store.objective("fuel").unwrap().state(used)), (0, ObjectiveState::Active));
    state.control().finish_fire(page_key(1), ended(10)).await.unwrap();
    state.control().finish_fire(page_key(2), FireEnd { fuel: None, ..ended(0) }).await.unwrap();
    let claimed = state.control().claim_fire(limited(4)).await.unwrap();
    assert_eq!(claimed, ClaimedFire::Go { fuel_left: Some(60) }, "the rest was returned");
    // After a crash, the reservations of its fires are returned.
    drop(store);
    Arc::try_unwrap(state).ok().unwrap().close().unwrap();
    let state = State::open(&root, &options()).unwrap();
    let claimed = state.control().claim_fire(fire(&routine, 5, budget.clone())).await.unwrap();
    assert_eq!(claimed, ClaimedFire::Go { fuel_left: Some(90) });
}

#[test]
fn definitions_are_kept_changed_and_taken_away() {
    let (_home, root, state) = home();
    let store = StateStore::new(Arc::clone(&state));
    let names = |store: &StateStore| -> Vec<String> {
        store.routines().unwrap().into_iter().map(|routine| routine.name).collect()
    };
    assert_eq!(names(&store), [RE_AUDIT]);
    let kept = routine("digest", When::Cron("0 9 * * *".into()));
    store.put_routine(&kept, false, "owner").unwrap();
    assert!(matches!(store.put_routine(&kept, false, "owner"), Err(ControlError::Taken { .. })));
    store.put_routine(&kept, true, "owner").unwrap();
    assert_eq!(names(&store), ["digest", RE_AUDIT]);
    let off = store.switch_routine("digest", false, "owner").unwrap();
    assert!(!off.enabled && off.since_ms > kept.since_ms);
    let unknown = store.switch_routine("digset", true, "owner").unwrap_err();
    assert!(matches!(&unknown, ControlError::Unknown { known, .. } if known.len() == 2), "{unknown}");
    let mut charged = routine("charged", every(60));
    charged.objective = Some("inbox".into());
    assert!(matches!(store.put_routine(&charged, false, "owner"), Err(ControlError::Unknown { .. })));
    store.add_objective(&objective("inbox", Some(1), None), "owner").unwrap();
    store.put_routine(&charged, false, "owner").unwrap();
    assert!(matches!(store.remove_objective("inbox", "owner"), Err(ControlError::InUse { .. })));
    store.remove_routine("charged", "owner").unwrap();
    store.remove_objective("inbox", "owner").unwrap();
    drop(store);
    Arc::try_unwrap(state).ok().unwrap().close().unwrap();
    let state = Arc::new(State::open(&root, &options()).unwrap());
    let store = StateStore::new(Arc::clone(&state));
    assert_eq!(store.routine("digest").unwrap(), off, "sealed rows come back as they were");
    assert!(events(&state, EventKind::RoutineChanged) >= 4);
}

#[test]
fn the_built_in_routine_is_changed_and_switched_off_but_never_removed() {
    let (_home, _root, state) = home();
    let store = StateStore::new(state);
    assert!(matches!(store.remove_routine(RE_AUDIT, "owner"), Err(ControlError::BuiltIn { .. })));
    let mut changed = store.routine(RE_AUDIT).unwrap();
    changed.when = every(3_600);
    assert!(matches!(store.put_routine(&changed, false, "owner"), Err(ControlError::Taken { .. })));
    store.put_routine(&changed, true, "owner").unwrap();
    assert_eq!(store.routine(RE_AUDIT).unwrap().when, every(3_600));
    assert!(!store.switch_routine(RE_AUDIT, false, "owner").unwrap().enabled);
    let other = Routine { action: changed.action.clone(), ..routine("other", every(60)) };
    assert!(store.put_routine(&other, false, "owner").is_err(), "no other routine does that");
    let calling = Routine { name: RE_AUDIT.into(), ..routine("x", every(60)) };
    assert!(matches!(store.put_routine(&calling, true, "owner"), Err(ControlError::NotForBuiltIn { .. })));
}

#[test]
fn what_cannot_be_kept_is_refused() {
    let (_home, _root, state) = home();
    let store = StateStore::new(state);
    let good = routine("r", every(60));
    let refused = |routine: Routine| store.put_routine(&routine, false, "owner").unwrap_err();
    for name in ["", "A", "a b", "a/b", "routine:x", &"a".repeat(41)] {
        assert!(matches!(
            refused(Routine { name: name.into(), ..good.clone() }),
            ControlError::BadName { .. }
        ));
    }
    let past = Routine { when: When::At(1_000), ..good.clone() };
    assert_eq!(refused(past).to_string(), "the schedule never fires");
    assert!(refused(Routine { jitter_ms: 3_600_001, ..good.clone() }).hint().is_some());
    assert!(refused(Routine { wait_approval_ms: 900_001, ..good }).hint().is_some());
    for bad in [
        objective("A", None, None),
        objective("a", Some(0), None),
        Objective { goal: " ".into(), ..objective("a", None, None) },
    ] {
        assert!(store.add_objective(&bad, "owner").is_err());
    }
}

/// A budget row that was edited stops the routines that are charged to it.
#[tokio::test(flavor = "multi_thread")]
async fn an_edited_budget_lets_nothing_happen() {
    let (_home, root, state) = home();
    let store = StateStore::new(Arc::clone(&state));
    store.add_objective(&objective("runs", Some(5), None), "owner").unwrap();
    let mut routine = routine("r", every(60));
    routine.objective = Some("runs".into());
    let Charge::Open(budget) = store.charge(&routine).await.unwrap() else { panic!() };
    state.control().claim_fire(fire(&routine, 1, budget.clone())).await.unwrap();
    let edit = |transaction: &mut palyra_journal::JournalTransaction<'_>| {
        let sql = r#"UPDATE objective_use SET bytes = CAST('{"runs":0,"fuel":0}' AS BLOB)"#;
        transaction.sql().execute_batch(sql).map_err(palyra_journal::JournalError::sqlite("edit"))
    };
    state.journal().transaction(palyra_journal::Durability::Normal, edit).await.unwrap();
    assert!(state.control().claim_fire(fire(&routine, 2, budget)).await.is_err());
    assert!(state.control().fire(&page_key(2)).unwrap().is_none());
    assert!(store.used("runs").is_err());
    drop(root);
}
