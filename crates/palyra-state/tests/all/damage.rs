//! Damaged states: rows T01, T02, T03, I03, I04. Nothing opens until an operator repairs it.

use std::fs;

use palyra_journal::{EventKind, Query};
use palyra_state::{JournalFate, StateError};
use palyra_testkit::{Home, keys};

/// Creates a root that trusts two publishers.
fn trusting() -> Home {
    let home = Home::new();
    let state = home.open();
    state.trust().allow_publisher("acme", keys(1), "owner").unwrap();
    state.trust().allow_publisher("globex", keys(2), "owner").unwrap();
    state.close().unwrap();
    home
}

/// Asserts that opening fails and reports `what`, and that it succeeds after exactly this damage was accepted.
fn check(home: &Home, what: &str) {
    let damage = home.damage();
    assert!(damage.differences.iter().any(|d| d.what.contains(what)), "{damage}");
    assert!(damage.differences.iter().all(|d| !d.remedy.is_empty() && !d.expected.is_empty()), "{damage:?}");
    let plan = home.root.repair_plan(&home.options).unwrap();
    assert!(!plan.damage.is_none());
    assert_eq!(home.root.repair_plan(&home.options).unwrap(), plan);
    let other = palyra_skills::Sha256Digest::of(b"other");
    assert!(matches!(home.root.repair(&home.options, &other), Err(StateError::OtherRepair { .. })));
    home.damage();
    let state = home.root.repair(&home.options, &plan.accept).unwrap();
    let query = Query { kinds: vec![EventKind::StateRepaired], ..Query::default() };
    let leaf = &state.journal().query(&query).unwrap().events[0].event;
    assert!(leaf.details.get("anchored_head").is_some() && leaf.details.get("found_head").is_some());
    state.close().unwrap();
    home.open().close().unwrap();
    assert!(matches!(home.root.repair(&home.options, &plan.accept), Err(StateError::NothingToRepair)));
}

#[test]
fn t01_deleted_trust_rows_are_named() {
    let home = trusting();
    home.sql("DELETE FROM trust_rows WHERE key = 'publisher/acme'");
    let damage = home.damage();
    assert!(damage.to_string().contains("row `trust_rows/publisher/acme`"), "{damage}");
    check(&home, "trust_rows/publisher/acme");
    assert!(home.open().view().trust().publisher("globex").is_some());
}

#[test]
fn t01_a_blank_trust_table_fails_closed() {
    let home = trusting();
    home.sql("DELETE FROM trust_rows");
    check(&home, "trust_rows/publisher/globex");
}

#[test]
fn t01_a_truncated_trust_row_fails_closed() {
    let home = trusting();
    home.sql(
        "UPDATE trust_rows SET bytes = substr(bytes, 1, length(bytes) / 2) WHERE key = 'publisher/acme'",
    );
    check(&home, "trust_rows/publisher/acme");
}

#[test]
fn t01_a_deleted_database_fails_closed() {
    let home = trusting();
    home.delete_database();
    let plan = home.root.repair_plan(&home.options).unwrap();
    assert_eq!((plan.journal, plan.rows_kept), (JournalFate::BeginsAnew, 0));
    check(&home, "state.db");
}

#[test]
fn t01_a_blank_database_fails_closed() {
    let home = trusting();
    home.delete_database();
    fs::write(home.root.database(), b"").unwrap();
    check(&home, "state.db");
}

#[test]
fn t01_a_database_cut_in_half_fails_closed() {
    let home = trusting();
    let bytes = fs::read(home.root.database()).unwrap();
    home.delete_database();
    fs::write(home.root.database(), &bytes[..bytes.len() / 2]).unwrap();
    check(&home, "state.db");
}

#[test]
fn t01_a_missing_vault_fails_closed_and_is_not_made_again() {
    let home = trusting();
    fs::rename(home.root.vault(), home.folder.path().join("away")).unwrap();
    assert!(home.damage().to_string().contains("vault"));
    assert!(matches!(home.root.init(&home.options), Err(StateError::AlreadyInitialised { .. })));
    assert!(matches!(home.root.repair_plan(&home.options), Err(StateError::Damaged { .. })));
    fs::rename(home.folder.path().join("away"), home.root.vault()).unwrap();
    home.open();
}

#[test]
fn t01_a_deleted_anchor_fails_closed() {
    let home = trusting();
    fs::remove_file(home.root.vault().join("anchor")).unwrap();
    check(&home, "anchor");
}

#[test]
fn t02_old_backup_is_detected_by_generation() {
    let home = trusting();
    let backup = home.backup();
    let state = home.open();
    state.trust().block_publisher("acme", "stolen key", "owner").unwrap();
    state.close().unwrap();
    home.restore(&backup);
    let damage = home.damage();
    let generation = damage.differences.iter().find(|d| d.what.contains("generation")).unwrap();
    assert_eq!((generation.expected.as_str(), generation.found.as_str()), ("generation 4", "generation 3"));
    check(&home, "generation");
}

#[test]
fn t02_an_old_vault_under_a_new_database_fails_closed() {
    let home = trusting();
    let old = fs::read(home.root.vault().join("anchor")).unwrap();
    let state = home.open();
    state.trust().block_publisher("acme", "stolen key", "owner").unwrap();
    state.close().unwrap();
    fs::write(home.root.vault().join("anchor"), old).unwrap();
    check(&home, "generation");
}

#[test]
fn t03_a_row_added_by_hand_has_no_mac() {
    let home = trusting();
    home.sql("INSERT INTO trust_rows SELECT 'publisher/mallory', bytes, mac FROM trust_rows WHERE key = 'publisher/acme'");
    check(&home, "trust_rows/publisher/mallory");
    assert!(home.open().view().trust().publisher("mallory").is_none());
}

#[test]
fn t03_a_row_edited_by_hand_has_another_mac() {
    let home = trusting();
    home.sql("UPDATE trust_rows SET bytes = CAST(replace(CAST(bytes AS TEXT), 'allowlisted', 'tofu_pinned') AS BLOB)");
    check(&home, "trust_rows/publisher/acme");
}

#[test]
fn t03_an_old_row_with_its_own_mac_is_noticed() {
    let home = trusting();
    let old: (Vec<u8>, Vec<u8>) = rusqlite::Connection::open(home.root.database())
        .unwrap()
        .query_row("SELECT bytes, mac FROM trust_rows WHERE key = 'publisher/acme'", [], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    let state = home.open();
    state.trust().block_publisher("acme", "stolen key", "owner").unwrap();
    state.close().unwrap();
    let connection = rusqlite::Connection::open(home.root.database()).unwrap();
    connection
        .execute("UPDATE trust_rows SET bytes = ?1, mac = ?2 WHERE key = 'publisher/acme'", (old.0, old.1))
        .unwrap();
    drop(connection);
    check(&home, "trust_rows/publisher/acme");
}

#[test]
fn t03_a_publisher_twice_in_one_row_is_refused() {
    let home = trusting();
    home.sql(
        "UPDATE trust_rows SET bytes = CAST(CAST(bytes AS TEXT) || CAST(bytes AS TEXT) AS BLOB)
         WHERE key = 'publisher/acme'",
    );
    check(&home, "trust_rows/publisher/acme");
}

#[test]
fn i04_a_journal_cut_by_one_fails_closed() {
    let home = trusting();
    home.sql(
        "DROP TRIGGER journal_event_stays;
         DELETE FROM journal_event WHERE seq = (SELECT max(seq) FROM journal_event)",
    );
    check(&home, "journal");
}

#[test]
fn i04_an_edited_event_fails_closed() {
    let home = trusting();
    home.sql(
        "DROP TRIGGER journal_event_is_final;
         UPDATE journal_event SET subject = 'nobody' WHERE seq = (SELECT max(seq) FROM journal_event)",
    );
    // If the event is older than the last checkpoint, `journal verify` and every read of events detect the edit.
    match home.try_open() {
        Ok(state) => {
            let report = state.journal().verify(palyra_journal::VerifyScope::Everything, None).unwrap();
            assert!(!report.is_intact());
            assert!(state.journal().query(&Query::default()).is_err());
        }
        Err(StateError::Damaged { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}
