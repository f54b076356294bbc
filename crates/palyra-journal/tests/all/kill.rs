//! Kill -9 during writes: no acknowledged event is lost or duplicated.

use crate::home::{Home, append_many, event, key, options};
use palyra_journal::{
    Durability, JournalError, JournalOptions, JournalStore, Migration, Query, Segment, TreeHead, VerifyScope,
};
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Set for the child: the database it appends to.
const CHILD: &str = "PALYRA_JOURNAL_TEST_CHILD";

#[test]
fn kill_mid_append_loses_no_acknowledged_leaf_and_doubles_none() {
    if let Ok(path) = std::env::var(CHILD) {
        append_for_ever(Path::new(&path));
    }
    let home = Home::new();
    drop(home.create());
    let mut acknowledged = BTreeMap::new();
    for round in 0..8_u64 {
        let mut child = spawn(&home, "kill::kill_mid_append_loses_no_acknowledged_leaf_and_doubles_none");
        read_acknowledged(&mut child, 40 + round * 97, &mut acknowledged);
        let store = home.open().unwrap();
        let report = store.verify(VerifyScope::Everything, None).unwrap();
        assert!(report.is_intact(), "{report:?}");
        check_all_there_once(&store, &acknowledged);
    }
}

/// Appends numbered events in batches and prints the sequence numbers of the acknowledged ones.
fn append_for_ever(path: &Path) -> ! {
    let store = JournalStore::open(path, options()).unwrap();
    let mut out = std::io::stdout().lock();
    let mut number = store.head().size * 10;
    loop {
        let burst = 1 + number % 7;
        let pending: Vec<_> =
            (number..number + burst).map(|number| (number, store.append(event(number)))).collect();
        let full =
            store.transaction(Durability::Full, move |transaction| transaction.append(event(number + burst)));
        for (number, answer) in pending.into_iter().chain([(number + burst, full)]) {
            writeln!(out, "ack {number} {}", answer.wait().unwrap().sequence).unwrap();
        }
        out.flush().unwrap();
        number += burst + 1;
    }
}

fn spawn(home: &Home, test: &str) -> Child {
    command(home, test).spawn().unwrap()
}

/// This test binary again, to run one test as the child.
fn command(home: &Home, test: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, home.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

const OWNER: Migration = Migration { name: "owner-1", sql: "CREATE TABLE skill (id TEXT) STRICT;" };

fn with_owner() -> JournalOptions {
    JournalOptions { migrations: vec![OWNER], ..options() }
}

#[test]
fn killed_at_every_point_leaves_the_old_state_or_the_new_one() {
    if let Ok(path) = std::env::var(CHILD) {
        return write_a_little(Path::new(&path));
    }
    let original = Home::new();
    let store = JournalStore::create(&original.path(), with_owner()).unwrap();
    append_many(&store, 0..1_100);
    let anchored = store.close().unwrap().head();
    drop(store);
    let mut points = 0;
    loop {
        let home = Home::new();
        std::fs::copy(original.path(), home.path()).unwrap();
        points += 1;
        let output = command(&home, "kill::killed_at_every_point_leaves_the_old_state_or_the_new_one")
            .env(palyra_common::fs::fault::PALYRA_FAULT_AT, points.to_string())
            .output()
            .unwrap();
        let told = String::from_utf8(output.stdout).unwrap();
        check_old_or_new(&home, anchored, &told);
        if output.status.success() {
            assert!(told.contains("closed"), "the child did not do its work: {told}");
            break;
        }
    }
    assert!(points > 15, "only {points} points were passed");
}

/// Writes in every way, and prints each acknowledgement.
fn write_a_little(path: &Path) {
    let tell = |what: &str| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{what}").unwrap();
        out.flush().unwrap();
    };
    let store = JournalStore::open(path, with_owner()).unwrap();
    store.append(event(2_000)).wait().unwrap();
    tell("appended");
    let install = store.transaction(Durability::Full, |transaction| {
        let insert = transaction.sql().execute("INSERT INTO skill VALUES ('acme.echo')", []);
        insert.map_err(JournalError::sqlite("insert a skill"))?;
        transaction.append(event(2_001))?;
        transaction.checkpoint()
    });
    install.wait().unwrap();
    tell("installed");
    store.archive(1_024, path.parent().unwrap(), 1).unwrap();
    tell("archived");
    store.close().unwrap();
    tell("closed");
}

fn check_old_or_new(home: &Home, anchored: TreeHead, told: &str) {
    let options = JournalOptions { anchored_head: Some(anchored), ..with_owner() };
    let store = JournalStore::open(&home.path(), options).unwrap();
    let report = store.verify(VerifyScope::Everything, None).unwrap();
    assert!(report.is_intact(), "after {told:?}: {report:?}");
    let leaves = |number: u64| {
        let page = store.query(&Query { from_sequence: Some(1_100), with_proofs: true, ..Query::default() });
        page.unwrap().events.iter().filter(|recorded| recorded.event == event(number)).count()
    };
    let skills: i64 = store
        .read(|connection| {
            let count = connection.query_row("SELECT count(*) FROM skill", [], |row| row.get(0));
            count.map_err(JournalError::sqlite("count skills"))
        })
        .unwrap();
    assert!(leaves(2_000) <= 1 && leaves(2_001) as i64 == skills && skills <= 1, "after {told:?}");
    assert!(!told.contains("appended") || leaves(2_000) == 1);
    assert!(!told.contains("installed") || skills == 1);
    assert!(!told.contains("archived") || report.archived == 1_024);
    if report.archived > 0 {
        let file = home.directory.path().join("journal-000000000000-000000001024.segment");
        Segment::decode(&std::fs::read(file).unwrap()).unwrap().verify(&[key()]).unwrap();
    }
}

/// Reads `count` acknowledgements, kills the child, and reads the rest of the pipe.
fn read_acknowledged(child: &mut Child, count: u64, acknowledged: &mut BTreeMap<u64, u64>) {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut taken = 0;
    for line in lines.by_ref() {
        taken += u64::from(note(&line, acknowledged));
        if taken == count {
            break;
        }
    }
    assert_eq!(taken, count, "the child ended before it was killed");
    child.kill().unwrap();
    child.wait().unwrap();
    for line in lines {
        note(&line, acknowledged);
    }
}

/// Records a complete acknowledgement; the last line may be cut off.
fn note(line: &str, acknowledged: &mut BTreeMap<u64, u64>) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    let ["ack", number, sequence] = words[..] else { return false };
    let (Ok(number), Ok(sequence)) = (number.parse(), sequence.parse()) else { return false };
    assert_eq!(acknowledged.insert(number, sequence), None, "event {number} was acknowledged twice");
    true
}

fn check_all_there_once(store: &JournalStore, acknowledged: &BTreeMap<u64, u64>) {
    let mut found = BTreeMap::new();
    let mut next = Some(Query { limit: 1_000, ..Query::default() });
    while let Some(query) = next {
        let page = store.query(&query).unwrap();
        for recorded in page.events {
            let number = recorded.event.details["number"].as_u64().unwrap();
            assert_eq!(found.insert(number, recorded.leaf.sequence), None, "event {number} is there twice");
        }
        next = page.next;
    }
    for (number, sequence) in acknowledged {
        assert_eq!(found.get(number), Some(sequence), "acknowledged event {number} is not where it was");
    }
}
