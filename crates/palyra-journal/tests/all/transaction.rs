//! The owner's rows and their leaf are committed together or not at all.

use crate::home::{Home, event, options};
use palyra_journal::{Durability, JournalError, JournalOptions, JournalStore, Migration, Query, VerifyScope};
use rusqlite::params;

const SKILLS: Migration = Migration {
    name: "skills-1",
    sql: "CREATE TABLE skill (id TEXT PRIMARY KEY, version TEXT NOT NULL) STRICT;",
};

#[derive(Debug, thiserror::Error)]
enum OwnerError {
    #[error("refused by the owner")]
    Refused,
    #[error(transparent)]
    Journal(#[from] JournalError),
}

fn create(home: &Home) -> JournalStore {
    JournalStore::create(&home.path(), JournalOptions { migrations: vec![SKILLS], ..options() }).unwrap()
}

fn skills(store: &JournalStore) -> i64 {
    store
        .read(|connection| {
            let count = connection.query_row("SELECT count(*) FROM skill", [], |row| row.get(0));
            count.map_err(JournalError::sqlite("count skills"))
        })
        .unwrap()
}

fn install(
    store: &JournalStore,
    id: &'static str,
    outcome: fn() -> Result<(), OwnerError>,
) -> Result<u64, OwnerError> {
    store
        .transaction(Durability::Full, move |transaction| {
            transaction
                .sql()
                .execute("INSERT INTO skill (id, version) VALUES (?1, '1')", params![id])
                .map_err(JournalError::sqlite("insert a skill"))?;
            let leaf = transaction.append(event(1))?;
            outcome()?;
            transaction.checkpoint()?;
            Ok::<_, OwnerError>(leaf.sequence)
        })
        .wait()
}

#[test]
fn rows_and_leaf_are_kept_together() {
    let home = Home::new();
    let store = create(&home);
    assert_eq!(install(&store, "acme.echo", || Ok(())).unwrap(), 0);
    assert_eq!((skills(&store), store.head().size), (1, 1));
    assert_eq!(store.durable_head(), store.head());
    assert_eq!(store.last_checkpoint().unwrap().head(), store.head());
}

#[test]
fn an_error_keeps_neither() {
    let home = Home::new();
    let store = create(&home);
    let before = store.head();
    assert!(matches!(install(&store, "a", || Err(OwnerError::Refused)), Err(OwnerError::Refused)));
    assert_eq!((skills(&store), store.head()), (0, before));
    assert_eq!(install(&store, "a", || Ok(())).unwrap(), 0);
    assert!(store.verify(VerifyScope::Everything, None).unwrap().is_intact());
}

#[test]
fn a_panic_keeps_neither_and_the_writer_goes_on() {
    let home = Home::new();
    let store = create(&home);
    let error = install(&store, "a", || panic!("no such luck")).unwrap_err();
    assert!(
        matches!(&error, OwnerError::Journal(JournalError::Panicked { message }) if message == "no such luck")
    );
    assert_eq!((skills(&store), store.head().size), (0, 0));
    for number in 0..300 {
        store.append(event(number)).wait().unwrap();
    }
    assert_eq!(install(&store, "a", || Ok(())).unwrap(), 300);
    let head = store.close().unwrap().head();
    drop(store);
    let reopened = JournalStore::open(
        &home.path(),
        JournalOptions { migrations: vec![SKILLS], anchored_head: Some(head), ..options() },
    );
    assert_eq!((skills(&reopened.unwrap()), head.size), (1, 301));
}

#[test]
fn a_failed_step_that_the_owner_overlooks_is_not_committed() {
    let home = Home::new();
    let store = create(&home);
    store.append(event(0)).wait().unwrap();
    let outcome = store
        .transaction(Durability::Normal, |transaction| {
            transaction
                .sql()
                .execute_batch("CREATE TEMP TRIGGER full BEFORE INSERT ON main.journal_event BEGIN SELECT RAISE(FAIL, 'full'); END;")
                .map_err(JournalError::sqlite("prepare the failure"))?;
            let _ = transaction.append(event(1));
            Ok::<_, JournalError>(())
        })
        .wait();
    assert!(matches!(outcome, Err(JournalError::TransactionBroken)));
    assert_eq!(store.append(event(1)).wait().unwrap().sequence, 1);
    assert!(store.verify(VerifyScope::Everything, None).unwrap().is_intact());
}

#[test]
fn appends_around_a_transaction_keep_their_order() {
    let home = Home::new();
    let store = create(&home);
    let first = store.append(event(0));
    let middle = store.transaction(Durability::Full, |transaction| transaction.append(event(1)));
    let last = store.append(event(2));
    let sequences = [first.wait(), middle.wait(), last.wait()].map(|leaf| leaf.unwrap().sequence);
    assert_eq!(sequences, [0, 1, 2]);
}

#[test]
fn readers_cannot_write() {
    let home = Home::new();
    let store = create(&home);
    let written = store.read(|connection| {
        connection.execute("INSERT INTO skill VALUES ('a', '1')", []).map_err(JournalError::sqlite("write"))
    });
    assert!(matches!(written, Err(JournalError::Sqlite { .. })));
}

#[test]
fn the_database_itself_refuses_to_change_or_delete_an_event() {
    let home = Home::new();
    let store = create(&home);
    store.append(event(0)).wait().unwrap();
    for sql in ["UPDATE journal_event SET kind = 'x'", "DELETE FROM journal_event"] {
        let outcome = store.transaction(Durability::Normal, move |transaction| {
            transaction.sql().execute(sql, []).map_err(JournalError::sqlite("rewrite history"))
        });
        assert!(matches!(outcome.wait(), Err(JournalError::Sqlite { .. })), "{sql}");
    }
}

/// Blocks the writer until the returned sender is used, so that later requests are queued into one group.
fn hold(store: &JournalStore) -> std::sync::mpsc::Sender<()> {
    let (go, wait) = std::sync::mpsc::channel::<()>();
    drop(store.transaction(Durability::Normal, move |_| {
        let _ = wait.recv();
        Ok::<_, JournalError>(())
    }));
    go
}

#[test]
fn work_that_shares_a_commit_fails_alone() {
    let home = Home::new();
    let store = create(&home);
    let go = hold(&store);
    let insert = |id: &'static str, number: u64| {
        store.shared(move |transaction| {
            let sql = "INSERT INTO skill (id, version) VALUES (?1, '1')";
            transaction.sql().execute(sql, params![id]).map_err(JournalError::sqlite("insert a skill"))?;
            transaction.append(event(number))
        })
    };
    let first = insert("a", 0);
    let between = store.append(event(1));
    let doubled = insert("a", 2);
    let panics = store.shared(|_| -> Result<(), JournalError> { panic!("on purpose") });
    let last = insert("b", 3);
    drop(go);
    assert_eq!(first.wait().unwrap().sequence, 0);
    assert_eq!(between.wait().unwrap().sequence, 1);
    assert!(matches!(doubled.wait(), Err(JournalError::Sqlite { .. })));
    assert!(matches!(panics.wait(), Err(JournalError::Panicked { .. })));
    assert_eq!(last.wait().unwrap().sequence, 2);
    assert_eq!((skills(&store), store.head().size), (2, 3));
    assert!(store.verify(VerifyScope::Everything, None).unwrap().is_intact());
}

#[test]
fn a_group_is_one_commit() {
    let home = Home::new();
    let store = create(&home);
    let mut follower = store.follow();
    let go = hold(&store);
    let pending: Vec<_> =
        (0..50).map(|number| store.shared(move |transaction| transaction.append(event(number)))).collect();
    drop(go);
    let sequences: Vec<u64> = pending.into_iter().map(|leaf| leaf.wait().unwrap().sequence).collect();
    assert_eq!(sequences, (0..50).collect::<Vec<_>>());
    assert_eq!(follower.wait_next().unwrap().size, 50, "nothing in between was ever a head");
}

#[test]
fn prepared_facts_are_the_leaf_that_would_have_been_written() {
    let home = Home::new();
    let store = create(&home);
    let written = event(7);
    let text = serde_json::to_string(&written.details).unwrap();
    let prepared = store.prepare(written.clone(), text).unwrap();
    let leaves = store.shared(move |transaction| {
        Ok((transaction.append(written.clone())?.hash, transaction.append_prepared(&prepared)?.hash))
    });
    let (one, other) = leaves.wait().unwrap();
    assert_eq!(one, other);
}

#[test]
fn a_summary_does_not_depend_on_how_its_events_came() {
    let home = Home::new();
    let store = create(&home);
    for number in 0..2_100 {
        if number % 700 == 699 {
            let refused = store.shared(move |transaction| -> Result<(), JournalError> {
                transaction.append(event(9_999))?;
                Err(JournalError::Closed)
            });
            assert!(refused.wait().is_err());
        }
        drop(store.shared(move |transaction| transaction.append(event(number))));
    }
    store.append(event(2_100)).wait().unwrap();
    // Every block is summarized again from its rows and compared.
    assert!(store.verify(VerifyScope::Everything, None).unwrap().is_intact());
}

#[test]
fn a_change_is_published_before_followers_and_queries_see_its_events() {
    let home = Home::new();
    let store = std::sync::Arc::new(create(&home));
    let (seen, report) = std::sync::mpsc::channel();
    let at_publication = std::sync::Arc::clone(&store);
    store
        .transaction(Durability::Full, move |transaction| {
            transaction.append(event(1))?;
            transaction.before_announcement(move || {
                // The row is in the database already, and a reader of rows may see it.
                let rows = stored_events(&at_publication);
                let page = at_publication.query(&Query { with_proofs: true, ..Query::default() }).unwrap();
                seen.send((rows, page.events.len(), page.head.size, at_publication.head().size)).unwrap();
            });
            Ok::<_, JournalError>(())
        })
        .wait()
        .unwrap();
    assert_eq!(report.recv().unwrap(), (1, 0, 0, 0));
    assert_eq!(store.query(&Query::default()).unwrap().events.len(), 1);
}

#[test]
fn failed_transaction_publishes_nothing_and_panic_does_not_block_others() {
    let home = Home::new();
    let store = create(&home);
    let (seen, report) = std::sync::mpsc::channel::<()>();
    let failed = store.transaction(Durability::Full, move |transaction| {
        transaction.append(event(1))?;
        transaction.before_announcement(move || seen.send(()).unwrap());
        Err::<(), OwnerError>(OwnerError::Refused)
    });
    assert!(failed.wait().is_err());
    assert!(report.recv().is_err(), "published although it failed");
    let panics = store.transaction(Durability::Full, |transaction| {
        transaction.before_announcement(|| panic!("a publication that panics"));
        transaction.append(event(2))
    });
    assert_eq!(panics.wait().unwrap().sequence, 0);
    assert_eq!(store.append(event(3)).wait().unwrap().sequence, 1);
}

fn stored_events(store: &JournalStore) -> i64 {
    store
        .read(|connection| {
            let count = connection.query_row("SELECT count(*) FROM journal_event", [], |row| row.get(0));
            count.map_err(JournalError::sqlite("count events"))
        })
        .unwrap()
}
