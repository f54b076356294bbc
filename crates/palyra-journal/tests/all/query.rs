//! Finding events: compares every filter with a search over all events.

use crate::home::{Home, append_many, event, key};
use palyra_journal::{EventKind, JournalStore, NewEvent, Query, RecordedEvent};
use proptest::prelude::*;

/// Two summarised blocks and a part of one.
const COUNT: u64 = 2_400;

fn matches(query: &Query, sequence: u64, event: &NewEvent) -> bool {
    query.from_sequence.is_none_or(|first| sequence >= first)
        && query.before_sequence.is_none_or(|end| sequence < end)
        && query.from_ms.is_none_or(|first| event.at_ms >= first)
        && query.before_ms.is_none_or(|end| event.at_ms < end)
        && (query.kinds.is_empty() || query.kinds.contains(&event.kind))
        && query.skill.as_ref().is_none_or(|skill| event.skill.as_ref() == Some(skill))
        && query.run.as_ref().is_none_or(|run| event.run.as_ref() == Some(run))
}

fn follow_pages(store: &JournalStore, query: &Query) -> Vec<RecordedEvent> {
    let (mut events, mut next) = (Vec::new(), Some(query.clone()));
    while let Some(query) = next {
        let page = store.query(&query).unwrap();
        assert!(page.events.len() <= query.limit);
        assert!(page.next.is_none() || !page.events.is_empty());
        events.extend(page.events);
        next = page.next;
    }
    events
}

fn any_query() -> impl Strategy<Value = Query> {
    let sequence = || prop::option::of(0..COUNT + 50);
    let time = || prop::option::of(1_700_000_000_000 - 50..1_700_000_000_000 + COUNT * 10 + 50);
    let kinds = prop::collection::vec(prop::sample::select(EventKind::ALL), 0..3);
    (
        (sequence(), sequence(), time(), time(), kinds),
        (prop::option::of(0..6_u64), prop::option::of(0..COUNT), any::<bool>(), 1_usize..40, any::<bool>()),
    )
        .prop_map(|((from_sequence, before_sequence, from_ms, before_ms, kinds), rest)| {
            let (skill, run, newest_first, limit, with_proofs) = rest;
            Query {
                from_sequence,
                before_sequence,
                from_ms,
                before_ms,
                kinds,
                skill: skill.map(|number| format!("acme.skill{number}")),
                run: run.map(|number| format!("run-{number:06}")),
                newest_first,
                limit,
                with_proofs,
            }
        })
}

#[test]
fn any_query_finds_exactly_what_matches_in_order() {
    let home = Home::new();
    let store = home.create();
    append_many(&store, 0..COUNT);
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(300));
    runner
        .run(&any_query(), |query| {
            let found = follow_pages(&store, &query);
            let mut expected: Vec<u64> =
                (0..COUNT).filter(|sequence| matches(&query, *sequence, &event(*sequence))).collect();
            if query.newest_first {
                expected.reverse();
            }
            prop_assert_eq!(found.iter().map(|event| event.leaf.sequence).collect::<Vec<_>>(), expected);
            for recorded in found {
                prop_assert_eq!(&recorded.event, &event(recorded.leaf.sequence));
                prop_assert_eq!(recorded.proof.is_some(), query.with_proofs);
                if let Some(proof) = recorded.proof {
                    prop_assert!(proof.verify(&recorded.leaf.hash).is_ok());
                }
            }
            Ok(())
        })
        .unwrap();
}

#[test]
fn a_clock_that_goes_back_loses_no_event() {
    let home = Home::new();
    let store = home.create();
    for at_ms in [500, 4_102_444_800_000, 0, 700, 100] {
        store.append(NewEvent::new(EventKind::VaultPut, at_ms)).wait().unwrap();
    }
    let query = Query { from_ms: Some(100), before_ms: Some(701), ..Query::default() };
    let found: Vec<u64> = follow_pages(&store, &query).iter().map(|event| event.leaf.sequence).collect();
    assert_eq!(found, [0, 3, 4]);
}

#[test]
fn a_receipt_is_checked_with_the_public_key_alone() {
    let home = Home::new();
    let store = home.create();
    append_many(&store, 0..50);
    assert_eq!(store.receipt(49).unwrap(), None, "no checkpoint covers it yet");
    store.checkpoint().wait().unwrap();
    append_many(&store, 50..400);
    let receipt = store.receipt(49).unwrap().unwrap();
    let text = serde_json::to_string(&receipt).unwrap();
    let read: palyra_journal::Receipt = serde_json::from_str(&text).unwrap();
    assert_eq!(read.verify(&key()).unwrap(), event(49));
    let changed = palyra_journal::Receipt { leaf: read.leaf.replace("49", "48"), ..read.clone() };
    assert!(changed.verify(&key()).is_err());
    let moved =
        palyra_journal::Receipt { checkpoint: store.checkpoint().wait().unwrap().note().to_owned(), ..read };
    assert!(moved.verify(&key()).is_err());
}
