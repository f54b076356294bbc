//! Kill -9 while it writes: nothing acknowledged is lost, nothing is there twice.

use crate::home::{Home, event, options};
use palyra_journal::{Durability, JournalStore, Query, VerifyScope};
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

/// Appends numbered events in bursts, and says which were acknowledged where.
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
    Command::new(std::env::current_exe().unwrap())
        .args([test, "--exact", "--nocapture", "--test-threads=1"])
        .env(CHILD, home.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Takes so many acknowledgements, kills the child, and takes what was still in the pipe.
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

/// Remembers a whole acknowledgement; the last line may be cut.
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
