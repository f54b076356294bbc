//! Stopped before every file operation: the old state or the new one, and the next command works.

use crate::support::{Home, anchor_value, files_in, secret, value};
use palyra_common::fs::fault::{self, PALYRA_FAULT_AT};
use palyra_vault::{AnchorState, KeySourceChoice, KeyState, Vault};
use std::process::Command;

/// Stops `work` at each of its fault points in turn, each time on a new vault, and calls `check` on the result.
fn stop_everywhere(
    prepare: impl Fn(&Vault),
    work: impl Fn(&Vault) -> bool,
    check: impl Fn(&Vault, Option<&'static str>),
) -> u64 {
    for n in 1.. {
        let (home, vault) = Home::with_vault();
        prepare(&vault);
        let stopped = fault::stop_at(n, || work(&vault));
        assert_eq!(stopped.result, stopped.at.is_none(), "a stop is an error and nothing else is");
        let vault = home.open();
        check(&vault, stopped.at);
        vault.sweep().unwrap();
        assert!(!files_in(&home.path).iter().any(|path| path.to_string_lossy().contains(".tmp-")));
        if stopped.at.is_none() {
            return n;
        }
    }
    unreachable!("the work ends")
}

#[test]
fn init() {
    for n in 1.. {
        let home = Home::empty();
        let stopped = fault::stop_at(n, || Vault::init(&home.path, KeySourceChoice::File).map(drop));
        if stopped.at.is_none() {
            stopped.result.unwrap();
            assert!(n > 10, "{n}");
            break;
        }
        match Vault::open(&home.path, None) {
            Ok(_) => assert_eq!(stopped.at, Some("fsync directory")),
            Err(_) => drop(Vault::init(&home.path, KeySourceChoice::File).unwrap()),
        }
        home.open().secrets().put(&secret("global/x"), &value("1"), 1).unwrap();
    }
}

#[test]
fn put() {
    let name = secret("global/x");
    let points = stop_everywhere(
        |vault| drop(vault.secrets().put(&name, &value("old"), 1).unwrap()),
        |vault| vault.secrets().put(&name, &value("new"), 2).is_ok(),
        |vault, at| {
            let found = vault.secrets().get(&name).unwrap().unwrap();
            let expected = if matches!(at, None | Some("fsync directory")) { "new" } else { "old" };
            assert_eq!(found.expose(), expected.as_bytes());
            assert!(vault.secrets().list().unwrap().damaged.is_empty());
            vault.secrets().put(&name, &value("next"), 3).unwrap();
        },
    );
    assert_eq!(points, 6);
}

#[test]
fn remove() {
    let name = secret("global/x");
    stop_everywhere(
        |vault| drop(vault.secrets().put(&name, &value("old"), 1).unwrap()),
        |vault| vault.secrets().remove(&name).is_ok(),
        |vault, at| {
            let gone = matches!(at, None | Some("fsync directory"));
            assert_eq!(vault.secrets().get(&name).unwrap().is_none(), gone);
        },
    );
}

#[test]
fn retire() {
    stop_everywhere(
        |vault| drop(vault.keys().create("release", 1).unwrap()),
        |vault| vault.keys().retire("release", 2).is_ok(),
        |vault, _| {
            let info = vault.keys().export_public("release").unwrap();
            assert!(matches!(info.state, KeyState::Active | KeyState::Retired { since_ms: 2 }));
            vault.keys().seed_for_statement("release").unwrap();
        },
    );
}

#[test]
fn the_first_value_of_the_anchor() {
    let points = stop_everywhere(
        |_| {},
        |vault| vault.anchor().initialise(anchor_value("1")).is_ok(),
        |vault, _| {
            let anchor = vault.anchor();
            match anchor.read().unwrap() {
                None => anchor.initialise(anchor_value("1")).unwrap(),
                Some(state) => assert_eq!(state.committed, anchor_value("1")),
            }
            anchor.write_pending(anchor_value("2")).unwrap();
            anchor.commit().unwrap();
            std::fs::remove_file(vault.path().join("anchor")).unwrap();
            assert!(anchor.read().is_err(), "after any stop a deletion is found out");
        },
    );
    assert_eq!(points, 11, "record and header, five operations each");
}

/// Pending → database → committed: at every point, the database equals one of the two values.
#[test]
fn an_install() {
    let database = std::cell::Cell::new("1");
    let points = stop_everywhere(
        |vault| {
            database.set("1");
            vault.anchor().initialise(anchor_value("1")).unwrap();
        },
        |vault| {
            let install = || -> Option<()> {
                vault.anchor().write_pending(anchor_value("2")).ok()?;
                fault::point("database commit").ok()?;
                database.set("2");
                vault.anchor().commit().ok()
            };
            install().is_some()
        },
        |vault, at| {
            let anchor = vault.anchor();
            let AnchorState { committed, pending } = anchor.read().unwrap().unwrap();
            let found = anchor_value(database.get());
            match pending {
                Some(pending) if pending == found => anchor.commit().unwrap(),
                Some(_) => {
                    assert_eq!(committed, found, "stopped at {at:?}");
                    anchor.discard_pending().unwrap();
                }
                None => assert_eq!(committed, found, "stopped at {at:?}"),
            }
            assert_eq!(anchor.read().unwrap().unwrap().committed, found);
            anchor.write_pending(anchor_value("3")).unwrap();
            anchor.commit().unwrap();
        },
    );
    assert_eq!(points, 12, "twice five file operations and the database");
}

const VAULT_OF_CHILD: &str = "PALYRA_TEST_VAULT_OF_CHILD";

/// Makes a whole change in one process, which the parent kills before it ends.
#[test]
fn change_in_one_process() {
    let (home, vault) = match std::env::var_os(VAULT_OF_CHILD) {
        Some(path) => (None, Vault::open(path.as_ref(), None).unwrap()),
        None => {
            let (home, vault) = Home::with_vault();
            vault.anchor().initialise(anchor_value("1")).unwrap();
            (Some(home), vault)
        }
    };
    vault.anchor().write_pending(anchor_value("2")).unwrap();
    vault.anchor().commit().unwrap();
    assert_eq!(vault.anchor().read().unwrap().unwrap().committed, anchor_value("2"));
    drop(home);
}

#[test]
fn a_process_killed_at_any_point_leaves_a_vault_that_works() {
    let mut killed = 0;
    for n in 1.. {
        let (home, vault) = Home::with_vault();
        vault.anchor().initialise(anchor_value("1")).unwrap();
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "faults::change_in_one_process", "--nocapture"])
            .env(VAULT_OF_CHILD, &home.path)
            .env(PALYRA_FAULT_AT, n.to_string())
            .output()
            .unwrap();
        let state = home.open().anchor().read().unwrap().unwrap();
        if child.status.success() {
            assert_eq!(state.committed, anchor_value("2"));
            break;
        }
        killed += 1;
        let said = String::from_utf8_lossy(&child.stderr).into_owned();
        assert!(said.contains(&format!("ended by a test at point {n}")), "{said}");
        if state.pending.is_some() {
            vault.anchor().commit().unwrap();
        }
        vault.sweep().unwrap();
    }
    assert_eq!(killed, 10);
}
