//! Creating, opening and closing a state root, with correct and with implausible clocks.

use std::os::unix::fs::OpenOptionsExt;
use std::sync::Arc;
use std::time::Duration;

use palyra_journal::{EventKind, Query, VerifyScope};
use palyra_state::lock::{LOCK_FILE, SHORT_COMMAND_WAIT};
use palyra_state::{State, StateError};
use palyra_testkit::{Home, keys};

#[test]
fn nothing_is_made_by_opening() {
    let home = Home::empty();
    assert!(matches!(home.try_open(), Err(StateError::NotInitialised { .. })));
    assert!(!home.root.path().exists());
}

#[test]
fn a_root_is_made_once() {
    let home = Home::new();
    assert!(matches!(home.root.init(&home.options), Err(StateError::AlreadyInitialised { .. })));
    let state = home.open();
    assert_eq!(state.view().generation(), 1);
    let page = state.journal().query(&Query::default()).unwrap();
    assert_eq!(page.events[0].event.kind, EventKind::StateInitialised);
}

#[test]
fn second_owner_error_names_the_first() {
    let mut home = Home::new();
    let _first = home.open();
    home.options.wait = Duration::ZERO;
    match home.try_open() {
        Err(StateError::Busy { holder: Some(holder) }) => {
            assert_eq!((holder.pid, holder.command.as_str()), (std::process::id(), "test"));
        }
        other => panic!("{:?}", other.map(|_| ())),
    }
}

#[test]
fn second_owner_is_refused_after_the_lock_file_was_deleted() {
    let mut home = Home::new();
    let first = home.open();
    std::fs::remove_file(home.root.path().join(LOCK_FILE)).unwrap();
    home.options.wait = Duration::ZERO;
    let refused = home.try_open().map(|_| ()).unwrap_err();
    assert_eq!(refused.code().as_str(), "state_busy", "{refused}");
    // The owner keeps working and restores its lock file.
    first.trust().allow_publisher("acme", keys(1), "owner").unwrap();
    assert!(home.root.path().join(LOCK_FILE).exists());
    assert!(matches!(home.try_open(), Err(StateError::Busy { holder: Some(_) })));
    first.close().unwrap();
    home.options.wait = SHORT_COMMAND_WAIT;
    let state = home.open();
    assert!(state.view().trust().publisher("acme").is_some());
    assert!(state.journal().verify(VerifyScope::Everything, None).unwrap().is_intact());
}

#[test]
fn owner_whose_lock_file_was_replaced_writes_nothing_more() {
    let home = Home::new();
    let state = home.open();
    state.trust().allow_publisher("acme", keys(1), "owner").unwrap();
    let lock = home.root.path().join(LOCK_FILE);
    std::fs::remove_file(&lock).unwrap();
    // As a version would create it that locks only the file.
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&lock).unwrap();
    let size = state.journal().head().size;
    let refused = state.trust().block_publisher("globex", "spam", "owner").unwrap_err();
    assert_eq!(refused.code().as_str(), "state_busy", "{refused}");
    assert_eq!(state.journal().head().size, size);
    drop(state);
    let state = home.open();
    assert!(state.view().trust().publisher("acme").is_some());
    assert!(state.view().trust().publisher("globex").is_none());
    assert!(state.journal().verify(VerifyScope::Everything, None).unwrap().is_intact());
}

#[test]
fn what_was_decided_is_there_after_a_clean_stop_and_after_none() {
    let home = Home::new();
    let state = home.open();
    state.trust().allow_publisher("acme", keys(1), "owner").unwrap();
    state.close().unwrap();
    let state = home.open();
    state.trust().block_publisher("globex", "spam", "owner").unwrap();
    drop(state);
    let view = home.open().view();
    assert_eq!(view.generation(), 3);
    assert!(view.trust().publisher("acme").is_some() && view.trust().publisher("globex").is_some());
}

#[test]
fn a_change_that_changes_nothing_leaves_no_trace() {
    let home = Home::new();
    let state = home.open();
    state.trust().allow_publisher("acme", keys(1), "owner").unwrap();
    let size = state.journal().head().size;
    state.trust().allow_publisher("acme", keys(1), "owner").unwrap();
    assert!(matches!(state.trust().allow_publisher("acme", keys(2), "owner"), Err(StateError::Trust(_))));
    assert_eq!((state.view().generation(), state.journal().head().size), (2, size));
}

#[test]
fn i08_no_verdict_depends_on_the_clock() {
    let mut home = Home::new();
    let open = |home: &Home| -> State { home.open() };
    for (number, time) in [0, u64::MAX, 4_102_444_800_000, 1].into_iter().enumerate() {
        home.options.clock = Arc::new(move || time);
        open(&home).trust().allow_publisher(&format!("publisher{number}"), keys(1), "owner").unwrap();
    }
    assert_eq!(open(&home).view().trust().publishers().count(), 4);
}

#[test]
fn i08_a_stop_at_every_operation_of_a_change_is_a_typed_error_and_loses_nothing() {
    let home = Home::new();
    let state = home.open();
    state.trust().allow_publisher("acme", keys(1), "owner").unwrap();
    for n in 1.. {
        // The journal's writer runs on another thread without the fault, so only the later update of the vault fails.
        let stopped = palyra_common::fs::fault::stop_at(n, || {
            state.trust().block_publisher("globex", &format!("{n}"), "owner")
        });
        if stopped.at.is_none() {
            stopped.result.unwrap();
            break;
        }
        assert!(state.view().trust().publisher("acme").is_some());
    }
    drop(state);
    assert!(home.open().view().trust().publisher("globex").is_some());
}
