//! Cursors and dead letters of lanes, and the move of older tables into theirs.

use palyra_journal::{EventKind, NewEvent, Query, RecordedEvent};
use palyra_state::State;
use palyra_state::deliveries::{
    DeliveryCursor, DeliveryError, LaneFilter, LaneItem, LaneKey, LaneKind, LaneTarget,
};
use palyra_state::hooks::{HookBindingRecord, HookEventKind};
use palyra_testkit::Home;
use std::sync::Arc;

/// Reverts the last migration, and fills the tables of the earlier schema.
const BEFORE_DELIVERIES: &str = "
DROP INDEX runs_of_session;
DROP TABLE call_surfaces;
DROP TABLE run_notes;
DROP TABLE agent_sessions;
DROP TABLE agent_runs;
DROP TABLE session_events;
DROP TABLE session_pauses;
DROP TABLE session_surfaces;
DROP TABLE delivery_cursors;
DROP TABLE dead_letters;
DELETE FROM schema_version WHERE owner = 'owner' AND name IN ('deliveries-1', 'sessions-1', 'runs-2', 'sessions-2');
CREATE TABLE hook_cursors (binding TEXT PRIMARY KEY, next INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER, error TEXT, delivered INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE hook_dead_letters (letter INTEGER PRIMARY KEY AUTOINCREMENT, binding TEXT NOT NULL,
    sequence INTEGER NOT NULL, event TEXT NOT NULL, attempts INTEGER NOT NULL, reason TEXT NOT NULL,
    at INTEGER NOT NULL, UNIQUE (binding, sequence)) STRICT;
CREATE TABLE channel_cursors (channel TEXT PRIMARY KEY, next INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0,
    retry_at INTEGER, error TEXT, delivered INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;
CREATE TABLE channel_dead_letters (letter INTEGER PRIMARY KEY AUTOINCREMENT, channel TEXT NOT NULL,
    message INTEGER NOT NULL, attempts INTEGER NOT NULL, reason TEXT NOT NULL, at INTEGER NOT NULL,
    UNIQUE (channel, message)) STRICT;
INSERT INTO hook_cursors VALUES ('both', 7, 1, 99, 'slow', 3);
INSERT INTO channel_cursors VALUES ('both', 4, 0, NULL, NULL, 2);
INSERT INTO hook_dead_letters VALUES (1, 'both', 5, 'run:failed', 5, 'trapped', 10);
INSERT INTO hook_dead_letters VALUES (9, 'both', 6, 'run:failed', 5, 'dropped by a person', 11);
DELETE FROM hook_dead_letters WHERE letter = 9;
INSERT INTO channel_dead_letters VALUES (1, 'both', 2, 8, 'the server answered 500', 12);
INSERT INTO channel_dead_letters VALUES (2, 'both', 3, 8, 'the server answered 503', 13);
";

fn observer(id: &str) -> LaneTarget {
    let binding = HookBindingRecord::new(id, HookEventKind::RunFailed, "acme.watch", "acme.watch.tell");
    LaneTarget::Hook(Arc::new(binding))
}

/// Appends an event and returns it as an item of an observer.
async fn event(state: &State) -> LaneItem {
    let leaf = state.journal().append(NewEvent::new(EventKind::RunFailed, 1)).await.unwrap();
    let (from_sequence, before_sequence) = (Some(leaf.sequence), Some(leaf.sequence + 1));
    let query = Query { from_sequence, before_sequence, ..Query::default() };
    let recorded: Vec<RecordedEvent> = state.journal().query(&query).unwrap().events;
    LaneItem::Event(Arc::new(recorded.into_iter().next().unwrap()))
}

fn count(state: &State, kind: EventKind) -> usize {
    let query = Query { kinds: vec![kind], limit: 2_000, ..Query::default() };
    state.journal().query(&query).unwrap().events.len()
}

#[test]
fn rows_of_hooks_and_channels_move_into_one_table_each() {
    let home = Home::new();
    home.sql(BEFORE_DELIVERIES);
    let state = home.open();
    let cursors = state.deliveries().cursors().unwrap();
    let slow = DeliveryCursor {
        next: 7,
        attempts: 1,
        retry_at_ms: Some(99),
        error: Some("slow".into()),
        delivered: 3,
    };
    let channel = DeliveryCursor { next: 4, delivered: 2, ..DeliveryCursor::default() };
    let expected = [(LaneKey::hook("both"), slow), (LaneKey::channel("both"), channel)];
    assert_eq!(cursors.into_iter().collect::<Vec<_>>(), expected);
    let letters = state.deliveries().dead_letters(&LaneFilter::default(), 10).unwrap();
    let facts: Vec<_> = letters
        .iter()
        .map(|letter| (letter.letter, letter.lane.kind, letter.item, letter.event.as_deref(), letter.at_ms))
        .collect();
    // Letters of hooks keep their numbers; those of channels come after the highest number ever used.
    let expected = [
        (11, LaneKind::Channel, 3, None, 13),
        (10, LaneKind::Channel, 2, None, 12),
        (1, LaneKind::Hook, 5, Some("run:failed"), 10),
    ];
    assert_eq!(facts, expected);
    state.close().unwrap();
    assert_eq!(home.open().deliveries().dead_letters(&LaneKind::Channel.into(), 10).unwrap(), letters[..2]);
}

#[tokio::test]
async fn item_that_is_given_up_moves_the_cursor_and_is_listed_newest_first() {
    let home = Home::new();
    let state = home.open();
    let (mine, other) = (observer("mine"), observer("other"));
    let mut items = Vec::new();
    for target in [&mine, &mine, &other] {
        let item = event(&state).await;
        state.deliveries().note_failure(&target.key(), item.number(), 2, Some(5), "slow").await.unwrap();
        assert!(state.deliveries().give_up(target, &item, 3, &"r".repeat(900)).await.unwrap());
        items.push(item.number());
    }
    let cursor = state.deliveries().cursors().unwrap().remove(&mine.key()).unwrap();
    assert_eq!(cursor, DeliveryCursor { next: items[1] + 1, ..DeliveryCursor::default() });
    let of_mine = state.deliveries().dead_letters(&mine.key().into(), 10).unwrap();
    assert_eq!(of_mine.iter().map(|letter| letter.item).collect::<Vec<_>>(), [items[1], items[0]]);
    assert!(of_mine[0].reason.len() <= 510, "a long reason is cut");
    assert_eq!(state.deliveries().dead_letters(&LaneFilter::default(), 1).unwrap()[0].lane, other.key());
    assert_eq!(state.deliveries().dead_letter_counts().unwrap()[&mine.key()], 2);
    assert_eq!(count(&state, EventKind::HookDeadLettered), 3);
    // A failure of an item before the cursor changes nothing.
    state.deliveries().note_failure(&mine.key(), items[0], 9, None, "late").await.unwrap();
    assert_eq!(state.deliveries().cursors().unwrap()[&mine.key()], cursor);
    state.deliveries().keep_cursors(Vec::new(), vec![mine.key()]).await.unwrap();
    assert_eq!(state.deliveries().dead_letters(&LaneFilter::default(), 10).unwrap().len(), 1);
    assert_eq!(state.deliveries().cursors().unwrap().into_keys().collect::<Vec<_>>(), [other.key()]);
}

#[tokio::test]
async fn retry_counts_keeps_its_reason_and_ends_with_the_letter() {
    let home = Home::new();
    let state = home.open();
    let target = observer("mine");
    let item = event(&state).await;
    state.deliveries().give_up(&target, &item, 5, "trapped").await.unwrap();
    let letter = state.deliveries().dead_letters(&LaneFilter::default(), 1).unwrap().remove(0);
    assert_eq!(state.deliveries().dead_letter_item(&letter).unwrap().number(), item.number());
    state.deliveries().begin_retry(letter.letter).await.unwrap();
    state.deliveries().note_retry_failure(letter.letter, "trapped again").await.unwrap();
    let tried = state.deliveries().dead_letter(letter.letter, &target.key().into()).unwrap();
    assert_eq!((tried.attempts, tried.reason.as_str()), (6, "trapped again"));
    let elsewhere = state.deliveries().dead_letter(letter.letter, &LaneKind::Channel.into());
    assert!(matches!(elsewhere, Err(DeliveryError::UnknownLetter { .. })));
    state.deliveries().finish_retry(&tried, &item, "owner").await.unwrap();
    assert_eq!(state.deliveries().cursors().unwrap()[&target.key()].delivered, 1);
    assert_eq!(count(&state, EventKind::HookLetterDropped), 1);
    for gone in [
        state.deliveries().begin_retry(letter.letter).await,
        state.deliveries().drop_dead_letter(&tried, "owner").await,
    ] {
        assert!(matches!(gone, Err(DeliveryError::UnknownLetter { .. })), "{gone:?}");
    }
    assert_eq!(count(&state, EventKind::HookLetterDropped), 1);
}

#[tokio::test]
async fn observer_with_a_thousand_dead_letters_waits() {
    let home = Home::new();
    home.sql(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
         INSERT INTO dead_letters (kind, lane, item, attempts, reason, at) SELECT 'hook', 'mine', i, 1, 'r', 0 FROM n",
    );
    let state = home.open();
    let item = event(&state).await;
    assert!(!state.deliveries().give_up(&observer("mine"), &item, 5, "trapped").await.unwrap());
    assert!(state.deliveries().cursors().unwrap().is_empty());
    assert!(state.deliveries().give_up(&observer("other"), &item, 5, "trapped").await.unwrap());
    assert_eq!(count(&state, EventKind::HookDeadLettered), 1);
}
