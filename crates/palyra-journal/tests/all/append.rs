//! Appending: consecutive sequences, in order, in groups, with proofs.

use crate::home::{Home, append_many, event, key};
use crate::naive;
use palyra_journal::{
    EventError, EventKind, JournalError, JournalStore, MAX_EVENT_BYTES, NewEvent, Query, TreeHash,
    VerifyScope, decode_leaf,
};
use proptest::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::Arc;

#[test]
fn many_appenders_get_a_dense_sequence_and_each_event_is_there_once() {
    let home = Home::new();
    let store = Arc::new(home.create());
    let threads: Vec<_> = (0..8_u64)
        .map(|thread| {
            let store = Arc::clone(&store);
            std::thread::spawn(move || {
                let numbers = thread * 200..(thread + 1) * 200;
                numbers
                    .map(|number| (number, store.append(event(number)).wait().unwrap()))
                    .collect::<Vec<_>>()
            })
        })
        .collect();
    let answers: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    let sequences: BTreeSet<u64> = answers.iter().map(|(_, leaf)| leaf.sequence).collect();
    assert_eq!(sequences, (0..1600).collect());
    let stored = all(&store);
    for (number, leaf) in answers {
        let recorded = &stored[leaf.sequence as usize];
        assert_eq!((&recorded.event, recorded.leaf), (&event(number), leaf));
    }
    assert_eq!(store.head().size, 1600);
    assert!(store.verify(VerifyScope::Everything, None).unwrap().is_intact());
}

#[test]
fn one_thread_sees_its_events_in_the_order_it_wrote_them() {
    let home = Home::new();
    let store = home.create();
    let pending: Vec<_> = (0..500).map(|number| store.append(event(number))).collect();
    for (number, answer) in (0..).zip(pending) {
        assert_eq!(answer.wait().unwrap().sequence, number);
    }
}

#[tokio::test]
async fn a_thread_of_a_runtime_that_waits_is_answered_however_often() {
    let home = Home::new();
    let store = home.create();
    // More than tokio's cooperative budget of a task, which is not renewed while the thread waits.
    for number in 0..300 {
        assert_eq!(store.append(event(number)).wait().unwrap().sequence, number);
    }
}

#[tokio::test]
async fn an_answer_can_be_awaited() {
    let home = Home::new();
    let store = home.create();
    let mut follower = store.follow();
    let leaf = store.append(event(1)).await.unwrap();
    assert_eq!(leaf.sequence, 0);
    assert_eq!(follower.next().await.unwrap(), store.head());
    let leaf =
        store.transaction(Default::default(), |transaction| transaction.append(event(2))).await.unwrap();
    assert_eq!((leaf.sequence, follower.next().await.unwrap().size), (1, 2));
}

#[test]
fn follower_sees_every_change_and_the_end() {
    let home = Home::new();
    let store = home.create();
    let mut follower = store.follow();
    let watcher = std::thread::spawn(move || {
        let mut last = 0;
        while let Ok(head) = follower.wait_next() {
            assert!(head.size >= last);
            last = head.size;
        }
        last
    });
    append_many(&store, 0..50);
    store.close().unwrap();
    drop(store);
    assert_eq!(watcher.join().unwrap(), 50);
}

#[test]
fn what_cannot_be_a_leaf_is_refused_and_nothing_is_written() {
    let home = Home::new();
    let store = home.create();
    let large = NewEvent::new(EventKind::VaultPut, 1).details(json!("x".repeat(MAX_EVENT_BYTES)));
    assert!(matches!(store.append(large).wait(), Err(JournalError::Event(EventError::TooLarge { .. }))));
    let fraction = NewEvent::new(EventKind::VaultPut, 1).details(json!({"share": 0.5}));
    assert!(matches!(
        store.append(fraction).wait(),
        Err(JournalError::Event(EventError::NotAnInteger { .. }))
    ));
    assert_eq!(store.head().size, 0);
}

#[test]
fn after_closing_every_request_says_so() {
    let home = Home::new();
    let store = home.create();
    let waiting: Vec<_> = (0..100).map(|number| store.append(event(number))).collect();
    let checkpoint = store.close().unwrap();
    assert_eq!(checkpoint.head().size, 100);
    assert_eq!(palyra_journal::Checkpoint::open(checkpoint.note(), &key()).unwrap(), checkpoint);
    assert!(waiting.into_iter().all(|answer| answer.wait().is_ok()));
    assert!(matches!(store.append(event(0)).wait(), Err(JournalError::Closed)));
    assert!(matches!(store.checkpoint().wait(), Err(JournalError::Closed)));
    assert!(matches!(store.close(), Err(JournalError::Closed)));
    drop(store);
    assert_eq!(home.open().unwrap().head(), checkpoint.head());
    assert!(!home.directory.path().join("state.db-wal").exists());
}

#[test]
fn dropping_writes_what_is_waiting() {
    let home = Home::new();
    let store = home.create();
    let waiting: Vec<_> = (0..300).map(|number| store.append(event(number))).collect();
    drop(store);
    assert!(waiting.into_iter().all(|answer| answer.wait().is_ok()));
    assert_eq!(home.open().unwrap().head().size, 300);
}

#[test]
fn checkpoints_are_signed_on_the_way_and_on_demand() {
    let home = Home::new();
    let store = home.create();
    for number in 0..250 {
        store.append(event(number)).wait().unwrap();
    }
    let report = store.verify(VerifyScope::Everything, None).unwrap();
    assert_eq!((report.checkpoints_checked, report.events_checked), (3, 250), "at 0, 100 and 200");
    let checkpoint = store.checkpoint().wait().unwrap();
    assert_eq!(checkpoint.head(), store.head());
    assert_eq!(store.durable_head(), store.head());
    assert_eq!(store.last_checkpoint().unwrap(), checkpoint);
}

fn all(store: &JournalStore) -> Vec<palyra_journal::RecordedEvent> {
    let mut events = Vec::new();
    let mut query = Some(Query { limit: 700, ..Query::default() });
    while let Some(next) = query {
        let page = store.query(&next).unwrap();
        events.extend(page.events);
        query = page.next;
    }
    events
}

/// JSON that the journal accepts: no fractions, bounded depth.
fn details() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(|value| json!(value)),
        any::<i64>().prop_map(|value| json!(value)),
        any::<u64>().prop_map(|value| json!(value)),
        any::<String>().prop_map(|value| json!(value)),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(|items| json!(items)),
            prop::collection::btree_map(any::<String>(), inner, 0..5).prop_map(|fields| json!(fields)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The stored tree is the tree of the leaves, at every size and over restarts; every proof holds.
    #[test]
    fn the_stored_tree_is_the_tree_of_the_leaves(groups in prop::collection::vec((1_u64..200, any::<bool>()), 1..7)) {
        let home = Home::new();
        let mut store = home.create();
        let mut count = 0;
        for (more, reopen) in groups {
            append_many(&store, count..count + more);
            count += more;
            if reopen {
                let head = store.close().unwrap().head();
                drop(store);
                store = home.open_anchored(head).unwrap();
            }
        }
        let events = all(&store);
        let leaves: Vec<Vec<u8>> = (0..count).map(|sequence| {
            let path = home.path();
            let connection = rusqlite::Connection::open(path).unwrap();
            let details: String = connection
                .query_row("SELECT details FROM journal_event WHERE seq = ?1", [sequence as i64], |row| row.get(0)).unwrap();
            // The leaf, formatted by hand from its documentation.
            let RecordedParts { at_ms, kind, run, skill } = parts(&events[sequence as usize].event);
            format!(r#"{{"at_ms":{at_ms},"details":{details},"kind":"{kind}","run":"{run}","skill":"{skill}","v":1}}"#).into_bytes()
        }).collect();
        prop_assert_eq!(store.head().root, TreeHash::from_bytes(naive::root(&leaves)));
        for sequence in (0..count).step_by(37).chain([count - 1]) {
            prop_assert_eq!(&decode_leaf(&leaves[sequence as usize]).unwrap(), &event(sequence));
            let page = store.query(&Query { from_sequence: Some(sequence), limit: 1, with_proofs: true, ..Query::default() }).unwrap();
            let proof = page.events[0].proof.clone().unwrap();
            let expected: Vec<_> = naive::path(sequence as usize, &leaves).into_iter().map(TreeHash::from_bytes).collect();
            prop_assert_eq!(&proof.path, &expected);
            prop_assert!(proof.verify(&page.events[0].leaf.hash).is_ok());
            let old = palyra_journal::TreeHead { size: sequence + 1, root: TreeHash::from_bytes(naive::root(&leaves[..=sequence as usize])) };
            let consistency = store.consistency_with(old).unwrap();
            prop_assert!(consistency.verify().is_ok());
            prop_assert_eq!(consistency.new, store.head());
        }
    }

    #[test]
    fn any_event_reads_back_as_it_was_written(details in details(), at_ms in 0..(1_u64 << 53),
                                              fields in prop::array::uniform4(prop::option::of(".{0,40}"))) {
        let [actor, run, skill, subject] = fields;
        let event = NewEvent { kind: EventKind::TrustPinned, at_ms, actor, run, skill, subject, details };
        let home = Home::new();
        let store = home.create();
        store.append(event.clone()).wait().unwrap();
        let page = store.query(&Query { with_proofs: true, ..Query::default() }).unwrap();
        prop_assert_eq!(&page.events[0].event, &event);
        store.checkpoint().wait().unwrap();
        let receipt = store.receipt(0).unwrap().unwrap();
        prop_assert_eq!(receipt.verify(&key()).unwrap(), event);
    }
}

struct RecordedParts<'a> {
    at_ms: u64,
    kind: &'a str,
    run: &'a str,
    skill: &'a str,
}

fn parts(event: &NewEvent) -> RecordedParts<'_> {
    RecordedParts {
        at_ms: event.at_ms,
        kind: event.kind.as_str(),
        run: event.run.as_deref().unwrap(),
        skill: event.skill.as_deref().unwrap(),
    }
}
