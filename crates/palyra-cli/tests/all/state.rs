//! A state root that is in use, edited or rolled back: exit codes 8 and 7, with details.

use crate::environment::TestEnvironment;
use insta::assert_snapshot;
use palyra_common::fs::Directory;
use palyra_state::lock;
use std::time::Duration;

#[test]
fn a_busy_state_names_its_holder() {
    let environment = TestEnvironment::with_state();
    let root = Directory::open_private(&environment.home(".palyra")).unwrap();
    let held = lock::acquire(&root, "a long command", Duration::ZERO).unwrap();
    let busy = environment.palyra(&["keys", "list", "--lock-wait", "0"]);
    assert_snapshot!(busy.shown(), @"
    exit 8
    --- stderr
    error: the state root is in use by process [PID] (`a long command`) since [WHEN]
    hint: wait for it to finish, or stop it (a daemon with `palyra daemon stop`), then try again
    ");
    let busy = environment.palyra(&["keys", "list", "--lock-wait", "0", "--json"]);
    assert_eq!(busy.code, 8);
    let holder = busy.error()["details"]["holder"].clone();
    assert_eq!((&holder["command"], &holder["pid"]), (&"a long command".into(), &std::process::id().into()));
    drop(held);
    assert_eq!(environment.palyra(&["keys", "list", "--lock-wait", "0"]).code, 0);
}

#[test]
fn a_missing_database_is_damage_and_every_command_says_so() {
    let environment = TestEnvironment::with_state();
    std::fs::remove_file(environment.home(".palyra/state.db")).unwrap();
    for command in [
        &["keys", "list"][..],
        &["keys", "new", "a"],
        &["trust", "list"],
        &["vault", "list"],
        &["journal", "tail"],
        &["journal", "verify"],
        &["journal", "checkpoint"],
    ] {
        let damaged = environment.palyra(&[command, &["--json"]].concat());
        assert_eq!(damaged.code, 7, "{}", damaged.shown());
        let error = damaged.error();
        assert_eq!(error["code"], "state_damaged");
        let first = &error["details"]["differences"][0];
        for field in ["what", "expected", "found", "remedy"] {
            assert!(!first[field].as_str().unwrap().is_empty(), "{field}: {first}");
        }
    }
    assert_snapshot!(environment.palyra(&["keys", "list"]).shown(), @"
    exit 7
    --- stderr
    error: the state is damaged in 2 places
      differs: `state.db`
      expected: a file
      found: nothing
      remedy: restore it from a backup that has the same `vault`
      differs: the generation of `state.db`
      expected: generation 1
      found: none
      remedy: restore the latest copy of `state.db`, or accept this one with `palyra trust repair`
    hint: show the damage with `palyra trust repair`; nothing runs until it is repaired
    ");
    assert!(!environment.home(".palyra/state.db").exists());
}

#[test]
fn an_old_database_is_found_out_and_repaired_only_as_shown() {
    let environment = TestEnvironment::with_state();
    let key = environment.new_key("release");
    let database = environment.home(".palyra/state.db");
    let old = std::fs::read(&database).unwrap();
    assert_eq!(environment.palyra(&["trust", "allow", "acme", &key]).code, 0);
    std::fs::write(&database, old).unwrap();
    let damaged = environment.palyra(&["trust", "list"]);
    assert_eq!(damaged.code, 7);
    assert_snapshot!(damaged.shown(), @"
    exit 7
    --- stderr
    error: the state is damaged in 3 places
      differs: the journal
      expected: 3 events with root `[SHA256]`
      found: the journal was truncated: it has 2 events, the head stored in the vault has 3
      remedy: the database is older than the vault or was replaced; restore the newer copy, or accept this one with `palyra trust repair`
      differs: the generation of `state.db`
      expected: generation 2
      found: generation 1
      remedy: restore the latest copy of `state.db`, or accept this one with `palyra trust repair`
      differs: the rows of trust, index and consent
      expected: [SHA256]
      found: [SHA256]
      remedy: restore the latest copy of `state.db`, or accept this one with `palyra trust repair`
    hint: show the damage with `palyra trust repair`; nothing runs until it is repaired
    ");

    assert_snapshot!(environment.palyra(&["trust", "repair"]).shown(), @"
    exit 0
    --- stdout
    differs   the journal
    expected  3 events with root `[SHA256]`
    found     the journal was truncated: it has 2 events, the head stored in the vault has 3
    remedy    the database is older than the vault or was replaced; restore the newer copy, or accept this one with `palyra trust repair`

    differs   the generation of `state.db`
    expected  generation 2
    found     generation 1
    remedy    restore the latest copy of `state.db`, or accept this one with `palyra trust repair`

    differs   the rows of trust, index and consent
    expected  [SHA256]
    found     [SHA256]
    remedy    restore the latest copy of `state.db`, or accept this one with `palyra trust repair`

    rows kept  0
    journal    continues after the last intact event
    accept     [SHA256]
    --- stderr
    next: restore a backup, or accept exactly this repair with `palyra trust repair --accept [SHA256]`
    ");
    let plan = environment.palyra(&["trust", "repair", "--json"]).json();
    assert_eq!(plan["repaired"], false);
    let other = "0".repeat(64);
    let refused = environment.palyra(&["trust", "repair", "--accept", &other, "--json"]);
    assert_eq!((refused.code, refused.error()["code"].as_str()), (5, Some("repair_refused")));
    assert_eq!(environment.palyra(&["trust", "list"]).code, 7);

    let accept = plan["accept"].as_str().unwrap();
    let repaired = environment.palyra(&["trust", "repair", "--accept", accept]);
    assert_snapshot!(repaired.shown(), @"
    exit 0
    --- stdout
    differs   the journal
    expected  3 events with root `[SHA256]`
    found     the journal was truncated: it has 2 events, the head stored in the vault has 3
    remedy    the database is older than the vault or was replaced; restore the newer copy, or accept this one with `palyra trust repair`

    differs   the generation of `state.db`
    expected  generation 2
    found     generation 1
    remedy    restore the latest copy of `state.db`, or accept this one with `palyra trust repair`

    differs   the rows of trust, index and consent
    expected  [SHA256]
    found     [SHA256]
    remedy    restore the latest copy of `state.db`, or accept this one with `palyra trust repair`

    rows kept  0
    journal    continues after the last intact event
    --- stderr
    repaired, and recorded in the journal
    next: review the trusted publishers with `palyra trust list`
    ");
    assert_eq!(environment.palyra(&["trust", "list"]).code, 0);
    let events = environment.palyra(&["journal", "query", "--kind", "state:repaired", "--json"]).json();
    assert_eq!(events["events"].as_array().unwrap().len(), 1);
    assert_snapshot!(environment.palyra(&["trust", "repair"]).shown(), @"
    exit 0
    --- stderr
    no damage found
    ");
}

#[test]
fn a_vault_that_is_gone_cannot_be_repaired_away() {
    let environment = TestEnvironment::with_state();
    std::fs::remove_dir_all(environment.home(".palyra/vault")).unwrap();
    assert_snapshot!(environment.palyra(&["keys", "list"]).shown(), @"
    exit 7
    --- stderr
    error: the state is damaged in 1 place
      differs: `vault`
      expected: the vault of this state root
      found: no vault in `[ROOT]/home/.palyra/vault`
      remedy: restore `vault` and its device key from one backup; without them nothing here can be verified
    hint: show the damage with `palyra trust repair`; nothing runs until it is repaired
    ");
    assert_eq!(environment.palyra(&["trust", "repair"]).code, 7);
}

#[test]
fn a_state_root_open_to_others_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let environment = TestEnvironment::with_state();
    std::fs::set_permissions(environment.home(".palyra"), PermissionsExt::from_mode(0o755)).unwrap();
    assert_snapshot!(environment.palyra(&["keys", "list"]).shown(), @"
    exit 1
    --- stderr
    error: `[ROOT]/home/.palyra` is accessible to other users: mode 0755, expected 0700
    hint: chmod 700 [ROOT]/home/.palyra
    ");
}
