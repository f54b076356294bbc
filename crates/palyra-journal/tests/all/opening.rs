//! Opening of existing, missing and foreign files.

use crate::home::{Home, append_many, event, options, signer};
use palyra_journal::{
    CheckpointSigner, Damage, JournalError, JournalOptions, JournalStore, Migration, VerifyScope,
    inspect_journal,
};
use std::os::unix::fs::PermissionsExt as _;

const FIRST: Migration = Migration { name: "a-1", sql: "CREATE TABLE a (x INTEGER) STRICT;" };
const SECOND: Migration = Migration { name: "a-2", sql: "ALTER TABLE a ADD COLUMN y INTEGER;" };

fn with(migrations: &[Migration]) -> JournalOptions {
    JournalOptions { migrations: migrations.to_vec(), ..options() }
}

#[test]
fn opening_never_creates_and_creating_never_replaces() {
    let home = Home::new();
    assert!(matches!(home.open(), Err(JournalError::Missing { .. })));
    assert!(!home.path().exists());
    drop(home.create());
    assert!(matches!(JournalStore::create(&home.path(), options()), Err(JournalError::AlreadyExists { .. })));
    assert_eq!(home.open().unwrap().head().size, 0);
}

#[test]
fn a_creation_that_was_killed_can_be_done_again() {
    let home = Home::new();
    std::fs::write(home.path(), b"").unwrap();
    assert!(matches!(home.open(), Err(JournalError::NotAJournal { found: 0, .. })));
    assert_eq!(home.create().head().size, 0);
}

#[test]
fn the_file_is_private() {
    let home = Home::new();
    let store = home.create();
    store.append(event(0)).wait().unwrap();
    for entry in std::fs::read_dir(home.directory.path()).unwrap() {
        let entry = entry.unwrap();
        assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{entry:?}");
    }
}

#[test]
fn other_files_are_refused() {
    let home = Home::new();
    rusqlite::Connection::open(home.path()).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    assert!(matches!(home.open(), Err(JournalError::NotAJournal { .. })));
    assert!(matches!(JournalStore::create(&home.path(), options()), Err(JournalError::AlreadyExists { .. })));
    std::fs::write(home.path(), b"not a database, but long enough to be taken for one".repeat(100)).unwrap();
    let error = home.open().unwrap_err();
    assert!(matches!(error, JournalError::Sqlite { .. }) && error.hint().is_some());
}

#[test]
fn a_link_in_the_place_of_the_file_is_refused() {
    let (home, _) = Home::filled(3);
    let elsewhere = home.directory.path().join("elsewhere.db");
    std::fs::rename(home.path(), &elsewhere).unwrap();
    std::os::unix::fs::symlink(&elsewhere, home.path()).unwrap();
    assert!(matches!(home.open(), Err(JournalError::Sqlite { .. })));
}

#[test]
fn migrations_are_applied_once_and_in_order() {
    let home = Home::new();
    drop(JournalStore::create(&home.path(), with(&[FIRST])).unwrap());
    for _ in 0..2 {
        let store = JournalStore::open(&home.path(), with(&[FIRST, SECOND])).unwrap();
        store
            .read(|connection| {
                connection
                    .execute_batch("SELECT x, y FROM a")
                    .map_err(JournalError::sqlite("look at the table"))
            })
            .unwrap();
    }
}

#[test]
fn a_newer_or_another_schema_is_refused() {
    let home = Home::new();
    drop(JournalStore::create(&home.path(), with(&[FIRST, SECOND])).unwrap());
    let newer = JournalStore::open(&home.path(), with(&[FIRST])).unwrap_err();
    assert!(matches!(&newer, JournalError::NewerSchema { found } if found == "a-2"), "{newer}");
    let edited = Migration { sql: "CREATE TABLE a (x TEXT) STRICT;", ..FIRST };
    let changed = JournalStore::open(&home.path(), with(&[edited, SECOND])).unwrap_err();
    assert!(matches!(&changed, JournalError::MigrationChanged { name } if name == "a-1"), "{changed}");
}

#[test]
fn a_failing_migration_leaves_the_database_as_it_was() {
    let home = Home::new();
    drop(JournalStore::create(&home.path(), with(&[FIRST])).unwrap());
    let broken = Migration { name: "a-2", sql: "CREATE TABLE b (x INTEGER) STRICT; CREATE TABLE a (again)" };
    assert!(JournalStore::open(&home.path(), with(&[FIRST, broken])).is_err());
    drop(JournalStore::open(&home.path(), with(&[FIRST])).unwrap());
    drop(JournalStore::open(&home.path(), with(&[FIRST, SECOND])).unwrap());
}

#[test]
fn another_key_does_not_open_the_journal_unless_the_earlier_one_is_named() {
    let (home, head) = Home::filled(150);
    let other = || CheckpointSigner::from_seed("palyra.test/other", &[8; 32]).unwrap();
    let refused = JournalStore::open(&home.path(), JournalOptions::new(other())).unwrap_err();
    assert!(matches!(refused, JournalError::Damaged(Damage::CheckpointInvalid { size: 150, .. })));
    let earlier_keys = vec![signer().key().clone()];
    let options = JournalOptions { earlier_keys, anchored_head: Some(head), ..JournalOptions::new(other()) };
    let store = JournalStore::open(&home.path(), options).unwrap();
    append_many(&store, 150..160);
    assert_eq!(store.checkpoint().wait().unwrap().origin(), "palyra.test/other");
    assert!(store.verify(VerifyScope::Everything, None).unwrap().is_intact());
}

#[test]
fn looking_leaves_no_trace() {
    let (home, head) = Home::filled(150);
    let before = std::fs::read(home.path()).unwrap();
    drop(home.open().unwrap());
    assert_eq!(home.open_anchored(head).unwrap().close().unwrap().head(), head);
    assert!(std::fs::read(home.path()).unwrap() == before, "opening and closing changed the file");
}

#[test]
fn a_copy_is_inspected_without_owning_it() {
    let (home, head) = Home::filled(300);
    let copy = home.directory.path().join("copy.db");
    std::fs::copy(home.path(), &copy).unwrap();
    let keys = [signer().key().clone()];
    let report = inspect_journal(&copy, &keys, VerifyScope::Everything, None).unwrap();
    assert_eq!((report.head, report.events_checked, report.damage), (head, 300, None));
}
