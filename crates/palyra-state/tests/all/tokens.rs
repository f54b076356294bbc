//! Tokens are sealed, anchored, recorded in the journal, and removed by a repair.

use palyra_common::{Scope, ScopeSet};
use palyra_journal::{EventKind, Query};
use palyra_skills::Sha256Digest;
use palyra_state::TokenError;
use palyra_testkit::Home;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn reading() -> ScopeSet {
    [Scope::Read].into_iter().collect()
}

#[test]
fn a_token_is_found_by_its_secret_until_it_is_removed() {
    let home = Home::new();
    let state = home.open();
    let made = state.tokens().add("editor", reading(), None, "owner").unwrap();
    let digest = Sha256Digest::of(made.secret.as_bytes());
    assert_eq!(state.tokens().find(&digest), Some(made.record.clone()));
    assert_eq!(state.tokens().find(&Sha256Digest::of(b"another")), None);
    drop(state);
    let state = home.open();
    assert_eq!(state.tokens().list(), std::slice::from_ref(&made.record));
    assert_eq!(state.tokens().remove("editor", "owner").unwrap(), made.record);
    assert_eq!(state.tokens().find(&digest), None);
    assert!(matches!(state.tokens().remove("editor", "owner"), Err(TokenError::Unknown { .. })));
    let kinds = vec![EventKind::TokenAdded, EventKind::TokenRemoved];
    let told = state.journal().query(&Query { kinds, ..Query::default() }).unwrap().events;
    assert_eq!(told.len(), 2);
    assert!(!serde_json::to_string(&told).unwrap().contains(made.secret.as_str()));
}

#[test]
fn a_token_written_by_hand_fails_closed_and_a_repair_leaves_none() {
    let home = Home::new();
    home.open().tokens().add("editor", reading(), None, "owner").unwrap();
    home.sql("UPDATE token_rows SET bytes = CAST(replace(CAST(bytes AS TEXT), 'read', 'admin') AS BLOB)");
    home.damage();
    let plan = home.root.repair_plan(&home.options).unwrap();
    let state = home.root.repair(&home.options, &plan.accept).unwrap();
    assert_eq!(state.tokens().list(), []);
}

#[test]
fn a_repair_brings_no_removed_token_back() {
    let home = Home::new();
    let state = home.open();
    state.tokens().add("editor", reading(), None, "owner").unwrap();
    state.close().unwrap();
    let yesterday = home.backup();
    home.open().tokens().remove("editor", "owner").unwrap();
    home.restore(&yesterday);
    home.damage();
    let plan = home.root.repair_plan(&home.options).unwrap();
    assert_eq!(home.root.repair(&home.options, &plan.accept).unwrap().tokens().list(), []);
}

#[test]
fn expired_token_stays_expired_when_the_clock_is_set_back() {
    let start = 1_700_000_000_000;
    let mut home = Home::new();
    let time = Arc::new(AtomicU64::new(start));
    let clock = Arc::clone(&time);
    home.options.clock = Arc::new(move || clock.load(Ordering::SeqCst));
    let state = home.open();
    let made = state.tokens().add("short", reading(), Some(start + 1_000), "owner").unwrap();
    let digest = made.record.digest;
    assert!(state.tokens().find(&digest).is_some());
    time.store(start + 1_000, Ordering::SeqCst);
    assert!(state.tokens().find(&digest).is_none());
    time.store(start, Ordering::SeqCst);
    assert!(state.tokens().find(&digest).is_none(), "within one process");
    state.close().unwrap();
    let state = home.open();
    assert!(state.tokens().find(&digest).is_none(), "and after a restart");
    // Lifetimes start at the same time, so that new tokens are valid.
    let lasts = state.expiry_now_ms() + 60_000;
    let other = state.tokens().add("other", reading(), Some(lasts), "owner").unwrap();
    assert!(state.tokens().find(&other.record.digest).is_some());
}

#[test]
fn latest_time_that_was_edited_counts_for_nothing() {
    let home = Home::new();
    let state = home.open();
    let now = state.expiry_now_ms();
    state.close().unwrap();
    home.sql(
        "UPDATE meta SET value = unhex('00ffffffffffffff' || hex(zeroblob(32))) \
        WHERE name = 'latest_time'",
    );
    let state = home.open();
    assert!(state.expiry_now_ms() >= now);
    assert!(state.expiry_now_ms() < now + 86_400_000);
}

/// Reverts all migrations after the first.
const AS_OF_STATE_1: &str = "
DROP INDEX runs_of_session;
DROP TABLE call_surfaces;
DROP TABLE run_notes;
DROP TABLE agent_sessions;
DROP TABLE agent_runs;
DROP TABLE session_events;
DROP TABLE session_pauses;
DROP TABLE session_surfaces;
DROP TABLE token_rows;
DROP TABLE routine_fires;
DROP TABLE objective_use;
DROP TABLE delivery_cursors;
DROP TABLE dead_letters;
DROP TABLE channel_messages;
DROP TABLE run_tapes;
CREATE INDEX runs_by_skill ON runs (skill_id, started_at);
DROP TABLE approval_arguments;
DROP TABLE approvals;
DROP TABLE touched;
DROP INDEX runs_of_skill;
DROP INDEX runs_of_tool;
DROP INDEX runs_otherwise;
ALTER TABLE runs DROP COLUMN principal;
ALTER TABLE runs DROP COLUMN session;
ALTER TABLE runs DROP COLUMN error;
ALTER TABLE runs DROP COLUMN tape;
ALTER TABLE runs DROP COLUMN trimmed;
DELETE FROM schema_version WHERE owner = 'owner' AND name <> 'state-1';
";

#[test]
fn a_database_of_an_older_version_gets_its_table_and_a_dropped_one_is_missed() {
    let home = Home::new();
    home.sql(AS_OF_STATE_1);
    let state = home.open();
    state.tokens().add("editor", reading(), None, "owner").unwrap();
    state.close().unwrap();
    assert_eq!(home.open().tokens().list().len(), 1);
    home.sql(AS_OF_STATE_1);
    home.damage();
}

/// Event streams follow the journal, and check the token they were opened with by the view.
#[test]
fn removed_token_is_unknown_when_its_event_is_read() {
    let home = Home::new();
    let state = home.open();
    for _ in 0..50 {
        let made = state.tokens().add("editor", reading(), None, "owner").unwrap();
        let digest = Sha256Digest::of(made.secret.as_bytes());
        let mut follower = state.journal().follow();
        std::thread::scope(|threads| {
            let heard = threads.spawn(|| {
                follower.wait_next().unwrap();
                state.tokens().find(&digest)
            });
            state.tokens().remove("editor", "owner").unwrap();
            assert_eq!(heard.join().unwrap(), None);
        });
    }
}
